//! End of the help of each command: examples and exit codes. Tests parse every line of them.

/// Help of the program without a command.
pub const OLMAP: &str = "\
Without a command olmap opens the explorer. Each PATH is one catalog: a directory, a file, or - for standard \
input. No PATH: the catalog you are in, or the nearest below or above in the repository; otherwise a demo. In the explorer ? \
shows the keys.

Examples:
  olmap                                        the catalog you are in, or the nearest
  olmap catalogs/v4.20 catalogs/v4.21           two catalogs; > and < switch
  olmap --read-only --theme light catalog.yaml  no edits, light background
  olmap git:v1.0:catalogs/v4.20                 a catalog as it was at a revision, read-only
  olmap -                                       a catalog from a pipe: opm render IMAGE | olmap -
  olmap validate --deny warnings catalog        what opm rejects, and what affects users
  olmap successors --installed 1.2.0 catalog    what both OLMs would upgrade to, and why
  olmap keys                                    all keys, as configured

Exit code: 0 ok, 1 the command found what it checks for (validate: errors, or what --deny names), 2 failed, or something could not be read or decided, 128 + n: ended by signal n.";

pub const VALIDATE: &str = "\
Examples:
  olmap validate catalog                        errors, warnings and notes
  olmap validate --parity catalog               what opm validate says
  olmap validate --deny warnings --allow dead-end catalog
  olmap validate -o sarif catalog               for code scanning
  olmap validate --changed-since main... 'catalogs/v4.*'
                                                what this branch touches
  olmap validate docker://quay.io/ns/catalog:v1  an image; docker:// may be left out
  olmap validate https://catalogd.example/catalogs/ns

Exit code: 0 ok, 1 errors or what --deny names, 2 failed, or something could not be checked.";

pub const EXPLAIN: &str = "\
Examples:
  olmap explain                                 all rules, one per line
  olmap explain dead-end                        one rule in detail

Exit code: 0 ok, 2 no such rule.";

pub const LIST: &str = "\
Examples:
  olmap list packages catalog                   packages with their default heads
  olmap list channels -p tide catalog           the channels of one
  olmap list images -o json catalog             for a mirror
  olmap list catalogs --changed-since main...   those that this branch touches

Exit code: 0 ok, 2 failed.";

pub const COMPOSE: &str = "\
Nothing is written unless all references can be read and opm accepts the whole.

Examples:
  olmap compose catalog.yaml                    writes NAME/REFERENCE/index.yaml
  olmap compose catalog.yaml --check            what would change
  olmap compose catalog.yaml --out catalogs/community
  olmap compose git:v1.0:catalog.yaml --check   the composition of a revision

Exit code: 0 ok, 1 --check and something would change, 2 failed.";

pub const EXTRACT: &str = "\
What must come along is taken and told: the default channel, entries without which a channel has no single head. The
RANGE is written as for OLM v1 ('>=1.2 <2', '~1.4'); quote it.

Examples:
  olmap extract lamp tide catalog --to mine     two packages
  olmap extract lamp:stable catalog --to mine   one channel, and the default channel
  olmap extract 'lamp:stable:>=1.2' catalog -n
  olmap extract lamp:fast catalog --default-channel fast --to mine
  olmap extract lamp catalog --with-dependencies --to mine

Exit code: 0 ok, 2 failed.";

pub const SERVE: &str = "\
It answers /api/v1/all and /api/v1/metas, also below /catalogs/NAME, over HTTP. opm serve speaks gRPC instead.

Examples:
  olmap serve catalog                           http://127.0.0.1:8080/api/v1/all
  olmap serve catalog --port 0                  any free port

Exit code: 0 ok, 2 failed. It serves until it is ended.";

pub const LSP: &str = "\
Editors start it: it speaks the language server protocol on standard input and output. docs/editors.md says how to set up yours.

Examples:
  olmap lsp                                     in the editor's configuration

Exit code: 0 ok, 1 the editor did not shut it down in order, 2 failed.";

pub const GENERATE: &str = "\
Examples:
  olmap generate dockerfile catalog             catalog.Dockerfile, beside the directory
  olmap generate dockerfile catalog -i scratch  only the files
  olmap generate dockerfile catalog -l quay.expires-after=1w
  olmap generate bundle -d tide/manifests -p tide -c stable,fast -e stable
  olmap generate bundle -d manifests -p tide -c stable -u out

Exit code: 0 ok, 2 failed.";

#[cfg(feature = "images")]
pub const IMAGE: &str = "\
Examples:
  olmap image build catalog -t quay.io/ns/catalog:v1 --to oci-archive:catalog.tar
  olmap image build catalog -t quay.io/ns/catalog:v1 --to oci:layout --from-layout oci:opm:latest
  olmap image push oci-archive:catalog.tar docker://quay.io/ns/catalog:v1

Exit code: 0 ok, 2 failed, as where opm rejects the catalog.";

pub const INIT: &str = "\
Examples:
  olmap init tide                               the olm.package of tide
  olmap init tide -c stable -d README.md -i icon.png -o json

Exit code: 0 ok, 2 failed.";

pub const APIS: &str = "\
Examples:
  olmap apis catalog                            all APIs, missing ones first
  olmap apis certs.example.com/Issuer catalog   who provides and requires it
  olmap apis --missing catalogs/certified catalogs/community

Exit code: 0 ok, 1 --missing found something, 2 failed.";

pub const SUCCESSORS: &str = "\
Examples:
  olmap successors -p tide catalog              every installed version, both OLMs
  olmap successors --installed 1.2.0 --explain catalog
  olmap successors --engine v1 --version '>=1.2.0 <2' catalog
  olmap successors --openshift 4.18 catalog     what blocks the update to 4.19
  olmap successors -f extension.yaml catalog    what a Subscription or ClusterExtension gets

Exit code: 0 ok, 2 failed.";

pub const RESOLVE: &str = "\
Examples:
  olmap resolve catalog --subscribe tide        with what it needs
  olmap resolve own=mine community=theirs --subscribe tide:stable@own
  olmap resolve catalog --subscribe tide --installed tide.v1.2.0
  olmap resolve catalog --cluster cluster.yaml  what comes next on a cluster
  olmap resolve catalog --queries questions.jsonl

Exit code: 0 there is an answer (also that nothing is installed), 2 failed, or there is none.";

pub const CLUSTER: &str = "\
The files come from this; leave out the kinds that your cluster does not have:
  kubectl get clusterversions,subscriptions.operators.coreos.com,clusterserviceversions,operatorgroups,catalogsources,\
installplans,clusterextensions,clustercatalogs -A -l '!olm.copiedFrom' -o yaml > cluster.yaml

Examples:
  olmap cluster cluster.yaml                    what is installed, and what is wrong with it
  olmap cluster cluster.yaml --catalog catalogs/v4.18
  olmap cluster must-gather -o json             of a must-gather, for programs

Exit code: 0 ok, 1 an operator is in trouble or not as expected, or something could not be read, 2 failed.";

pub const RESOURCES: &str = "\
They are printed for kubectl apply -f; no cluster is contacted. What to know beforehand stands on standard error.

Examples:
  olmap resources 1.2.0 -p tide catalog         Namespace, OperatorGroup, Subscription
  olmap resources tide.v1.2.0 catalog -c stable --source olm/harbour
  olmap resources tide.v1.2.0 catalog --engine v1 --namespace tides

Exit code: 0 ok, 1 OLM would refuse the version, 2 there are no such resources, or failed.";

pub const CEL: &str = "\
Examples:
  olmap cel 'properties.exists(p, p.type == \"tier\" && p.value == \"gold\")'
  olmap cel --batch rules.jsonl

Exit code: 0 ok, 2 it does not compile, olmap does not read it, or failed.";

pub const PATH: &str = "\
Examples:
  olmap path 1.2.0 2.0.0 catalog                hop by hop, under both OLMs
  olmap path 1.2.0 2.0.0 --engine classic -c stable catalog

Exit code: 0 there is an upgrade path, 1 there is none, 2 failed, or manifests could not be read.";

pub const OVERVIEW: &str = "\
Examples:
  olmap overview catalogs/v4.18 catalogs/v4.20  packages down, catalogs across
  olmap overview .                              all in catalogs/ of a repository
  olmap overview -p tide 4.18=old.yaml 4.20=new.yaml
  olmap overview --sort name -o json catalog

Exit code: 0 ok, 2 failed.";

pub const REPORT: &str = "\
Examples:
  olmap report catalog --to report.html         all of a catalog on a page
  olmap report catalog --against git:main --to report.html
  olmap report catalogs/v4.18 catalogs/v4.20 --to report.html
  olmap report catalog -p tide --baseline baseline.yaml --to tide.html
  olmap report . --against git:main --fail-on new-stuck,errors --to report.html

Exit code: 0 ok, 1 something that --fail-on names, 2 failed, or something could not be checked.";

pub const PLAN: &str = "\
Examples:
  olmap plan --installed tide.v1.2.0@stable catalogs/v4.18 catalogs/v4.20
  olmap plan --from 4.18 --to 4.22 --installed tide.v1.2.0 --installed ship.v2.0.0 .
  olmap plan --all --fail-on stranded catalogs/v4.18 catalogs/v4.20
  olmap plan --installed tide.v1.2.0 4.18=old.yaml 4.20=new.yaml

Exit code: 0 everything arrives, 1 something is blocked, 2 failed. With --all: 0, or 1 with
--fail-on stranded if somebody is.";

pub const EXPECT: &str = "\
Examples:
  olmap expect --record expectations.yaml catalog  record what happens today
  olmap expect expectations.yaml catalog        what differs from it, and why
  olmap expect -o github expectations.yaml catalog
  olmap expect --record - -p tide --engine v1 catalog

Exit code: 0 all met, 1 some not met, 2 invalid file or failed.";

pub const GRAPH: &str = "\
Examples:
  olmap graph -p tide catalog                   a picture of each channel
  olmap graph -p tide -c stable -o svg catalog
  olmap graph -p tide --side-by-side catalog

Exit code: 0 ok, 2 failed.";

pub const RANGE: &str = "\
Examples:
  olmap range '>=1.0.0 <2.0.0' 1.5.0 2.0.0      in both dialects
  olmap range '1.x' --catalog catalog --dialect masterminds

Exit code: 0 all match, 1 some do not, 2 failed.";

pub const STUCK: &str = "\
Examples:
  olmap stuck catalog                           packages with stuck versions, why, and an edit that frees them
  olmap stuck catalog -p tide -o json           one package, for programs
  olmap stuck --changed-since main --fail-on any

Exit code: 0 done, 1 a version is stuck and --fail-on any is given, 2 failed, or not known.";

pub const READINESS: &str = "\
Examples:
  olmap readiness catalog                       a table, and what is in the way of each package
  olmap readiness catalog -p tide --bundles operators/tide
  olmap readiness catalog -o markdown           for an issue or a pull request

Exit code: 0 all are ready, 1 some are not, 2 failed, or manifests could not be read.";

pub const DEPRECATIONS: &str = "\
Examples:
  olmap deprecations catalog                    who is affected, and their upgrade path
  olmap deprecations -p tide --since catalog
  olmap deprecations --as-of 2027-01-01 catalog  what is out of support then
  olmap deprecations -o markdown catalog        for a comment on a pull request

Exit code: 0 nothing blocks, 1 users without an upgrade path or OLM v1 stops, 2 failed, or part of the catalog could not be read.";

pub const MIRROR: &str = "\
Examples:
  olmap mirror filter catalog -f imageset.yaml              what is left of each channel
  olmap mirror filter catalog -f imageset.yaml -o yaml

  olmap mirror check imageset.yaml catalog                  who is stranded, which line to change
  olmap mirror check imageset.yaml catalog --installed tide.v1.2.0@stable

Exit code: 0 ok, 1 check: somebody loses upgrades, 2 oc-mirror refuses it, or failed.";

pub const RENDER: &str = "\
Examples:
  olmap render catalog                          same output as opm render
  olmap render -o json catalogs/v4.20 catalogs/v4.21
  olmap render git:main:operators/tide/1.3.0    a bundle directory of a revision
  olmap render --image-ref-template 'quay.io/org/{{.Package}}:v{{.Version}}' operators/tide/1.3.0

Exit code: 0 ok, 2 failed.";

pub const BUNDLE: &str = "\
Examples:
  olmap bundle show operators/tide/1.3.0
  olmap bundle diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap bundle diff --catalog catalogs/v4.22 1.2.0 1.3.0
  olmap bundle validate operators/tide/1.3.0
  olmap bundle validate operators/tide/* --deny warnings -o github
  olmap bundle validate git:main:operators/tide/1.3.0
  olmap bundle validate --fix -n operators/tide/1.3.0
  olmap bundle validate --suite good-practices --suite operatorhubv2 operators/tide/1.3.0
  olmap bundle validate --target v1 operators/tide/1.3.0

Exit code: 0 ok, 1 validate found errors or diff what --fail-on names, 2 failed, or something could not be checked.";

pub const CRDS: &str = "\
Examples:
  olmap crds diff old/widgets.yaml new/widgets.yaml
  olmap crds diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds diff --catalog catalogs/v4.22 tide.v1.2.0 tide.v1.3.0
  olmap crds diff -o json operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds graph operators/tide               every step of its channels
  olmap crds graph catalogs/v4.22 --bundles operators --refused

Exit code: 0 nothing is refused, 1 OLM refuses it, 2 failed, or CRDs could not be read.";

pub const TEMPLATE: &str = "\
Examples:
  olmap template render semver.yaml --bundles catalog
  olmap template render basic.yaml --bundles catalog -o mermaid
  olmap template convert basic catalog.yaml     a basic template of a catalog
  olmap template convert semver catalog         a semver template, where one makes it
  olmap template check                          the repository you are in, for CI
  olmap template check --template t.yaml --catalog v4.20/catalog git:main:v4.22/catalog

Exit code: 0 ok, 1 check found a difference, 2 failed, or a file could not be read.";

pub const HISTORY: &str = "\
Commits are those of the branch itself: a merge is one step. Commits that touch only other packages in a shared file \
are not listed. Nothing is written or fetched.

Examples:
  olmap history tide catalog                    all commits, newest first
  olmap history tide catalog --since v1.0 --limit 10
  olmap history tide catalog --of 1.2.0         who added and removed a bundle, and when

Exit code: 0 ok, 2 failed.";

pub const EDIT: &str = "\
Examples:
  olmap edit promote tide.v1.3.0 -c stable -n catalog
  olmap edit remove-entry tide.v1.2.9 -c stable --repair catalog
  olmap edit deprecate --bundle tide.v1.2.0 --message 'Please upgrade.' catalog
  olmap edit fix --deny catalog                 fix what can be fixed automatically
  olmap edit describe --package tide 'A broker.' --all
                                                in all catalogs of the repository

Exit code: 0 done, 1 refused by --deny, 2 failed.";

pub const DIFF: &str = "\
Examples:
  olmap diff git:main catalogs/v4.22            what the current branch changes
  olmap diff catalogs/v4.20 catalogs/v4.22
  olmap diff git:v1.0 git:v1.1:catalogs/v4.22   two revisions of one catalog
  olmap diff --fail-on all -o markdown git:origin/main catalog
  olmap diff --changed-since main...            each catalog that this branch touches
  olmap diff catalog template.yaml              what rendering the template would change

Exit code: 0 ok, 1 the change does what --fail-on names, 2 failed, or something could not be checked.";

pub const KEYS: &str = "\
Examples:
  olmap keys                                    a star marks changed keys
  olmap --config none keys -o markdown          the text of docs/keys.md

Exit code: 0 ok, 2 failed.";

pub const CONFIG: &str = "\
The configuration is ~/.config/olmap/config.toml (XDG rules), or the file in OLMAP_CONFIG or --config. The explorer, olmap
keys and olmap config read it; the other commands use only flags and environment variables.

Examples:
  olmap config --print                          current values, to copy into the file
  olmap config --path                           where the file is
  olmap config --check                          all errors in it
  olmap --config work.toml config --check       check another file
  olmap config --schema                         for completion in an editor

Exit code: 0 ok, 1 --check found errors, 2 failed.";

pub const COMPLETIONS: &str = "\
Examples:
  olmap completions bash                        source <(olmap completions bash)
  olmap completions fish                        into ~/.config/fish/completions/olmap.fish

Exit code: 0 ok, 2 no such shell.";

pub const MAN: &str = "\
Examples:
  olmap man                                     show it: olmap man | man -l -
  olmap man --dir share/man/man1                this page and one per command
  olmap man -o markdown                         the text of docs/commands.md

Exit code: 0 ok, 2 failed.";

/// Returns the examples of a help text: the description and the command line of each.
pub fn lines(help: &str) -> impl Iterator<Item = (&str, &str)> {
    help.lines().filter_map(|line| {
        let line = line.strip_prefix("  ").filter(|line| line.starts_with("olmap"))?;
        let (line, words) = line.split_once("  ").unwrap_or((line, ""));
        Some((words.trim(), line.trim_end()))
    })
}

pub const CACHE: &str = "\
Examples:
  olmap cache show                              where it is, how much is in it
  olmap cache clear                             remove it; images are fetched again

Exit code: 0 ok, 2 failed.";

pub const DOCTOR: &str = "\
It prints nothing private: no user or host name, and of private variables only whether they are set.

Examples:
  olmap doctor                                  for people
  olmap doctor -o json                          for programs
  olmap doctor --read-only                      without a write test of the state directory

Exit code: 0 ok, 2 failed.";

#[cfg(test)]
mod tests {
    use super::{super::args::Cli, lines};

    /// Collects the names of a command and its subcommands, each with the end of its help.
    fn commands(command: &clap::Command, name: &str, all: &mut Vec<(String, String)>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        all.push((name.to_owned(), help));
        // The operations of edit share its examples.
        for below in command.get_subcommands().filter(|c| name == "olmap" && c.get_name() != "help") {
            commands(below, &format!("{name} {}", below.get_name()), all);
        }
    }

    #[test]
    fn every_command_has_valid_examples_and_exit_codes() {
        let mut all = Vec::new();
        commands(&Cli::described(), "olmap", &mut all);
        assert!(all.len() > 12, "{all:?}");
        for (name, help) in all {
            assert!(help.contains("Exit code: 0"), "{name} tells of its exit codes");
            let mut found = 0;
            for (_, line) in lines(&help) {
                found += 1;
                let words = shell_words::split(line).unwrap();
                // A command line is separated from its description by two spaces.
                assert!(!words.iter().any(|word| word.ends_with([',', ';'])), "{line}");
                let parsed = Cli::read(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
                let command = name.strip_prefix("olmap").unwrap().trim();
                assert!(line.contains(command), "{line} is an example of {name}");
                assert!(command.is_empty() || parsed.command.is_some(), "{line}");
            }
            assert!(found > 0, "{name} has examples");
        }
    }

    #[test]
    fn commands_accept_options_of_the_explorer_but_hide_them_in_help() {
        let mut whole = Cli::described();
        whole.build();
        let help = |name: &str| whole.find_subcommand(name).unwrap().clone().render_long_help().to_string();
        for option in ["--theme", "--read-only", "--no-watch"] {
            assert!(!help("validate").contains(option), "{option}");
            assert!(help("doctor").contains(option), "{option}");
        }
        assert!(help("validate").contains("--ascii") && !help("validate").contains("--config"));
        assert!(help("keys").contains("--config"));
        let cli = Cli::read(["olmap", "edit", "fix", "--read-only", "--theme", "dark", "catalog"]).unwrap();
        assert!(cli.global.read_only && cli.global.theme.is_some());
    }

    #[test]
    fn options_are_accepted_before_the_command() {
        let graph = Cli::read(["olmap", "--ascii", "graph", "catalog"]).unwrap();
        assert!(graph.command.is_some() && graph.explore.paths.is_empty() && graph.global.ascii);
        let two = Cli::read(["olmap", "one", "graph"]).unwrap();
        assert!(two.command.is_none() && two.explore.paths.len() == 2);
    }
}
