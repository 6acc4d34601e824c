# Builds olmap from source: `nix run 'git+file:.?dir=packaging/nix'`, or the repository's address in place of `git+file:.`.
# It lives here and not in the root, where few who come by have use for it; a flake may build what is above its folder.
{
  description = "Explore, check and edit catalogs of Kubernetes operators (OLM) in the terminal";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      cargo = nixpkgs.lib.importTOML ../../Cargo.toml;
      manifest = cargo.package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          inherit (cargo.workspace.package) version;
          src = ../..;
          cargoLock.lockFile = ../../Cargo.lock;
          buildType = "dist";
          # The tests of tests/ want a terminal, git and a registry; the unit tests want nothing.
          cargoTestFlags = [ "--lib" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            packaging/stage.sh $out/bin/olmap stage
            installManPage stage/man/*.1
            installShellCompletion --bash --name olmap stage/completions/olmap.bash
            installShellCompletion --zsh stage/completions/_olmap
            installShellCompletion --fish stage/completions/olmap.fish
          '';
          meta = {
            inherit (manifest) description;
            license = pkgs.lib.licenses.asl20;
            mainProgram = "olmap";
          };
        };
      });
    };
}
