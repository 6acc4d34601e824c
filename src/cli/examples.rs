//! End of the help of each command: examples and exit codes. Tests parse every line of them.

/// Help of the program without a command.
pub const OLMAP: &str = "\
Without a command olmap opens the explorer. Each PATH is a catalog: a directory, a file, an image, or - for \
standard input. Without PATH it opens the catalog you are in, or the nearest below or above in the repository; \
otherwise a demo. In the explorer ? shows the keys.

Examples:
  olmap                                        the catalog you are in, or the nearest
  olmap catalogs/v4.20 catalogs/v4.21           two catalogs; > and < switch
  olmap --read-only --theme light catalog.yaml  no edits, light background
  olmap git:v1.0:catalogs/v4.20                 a catalog as it was at a revision, read-only
  olmap -                                       a catalog from a pipe: opm render IMAGE | olmap -
  olmap validate --deny warnings catalog        what opm rejects, and what affects users
  olmap successors --installed 1.2.0 catalog    the upgrade targets of both OLMs, and why
  olmap keys                                    all keys, as configured

Exit code: 0 ok, 1 the check failed (validate: errors, or findings that --deny names), 2 failed, or something could not be read or decided, 128 + n: ended by signal n.";

pub const VALIDATE: &str = "\
Examples:
  olmap validate catalog                        errors, warnings and notes
  olmap validate --parity catalog               what opm validate says
  olmap validate --deny warnings --allow dead-end catalog
  olmap validate -o sarif catalog               for code scanning
  olmap validate --changed-since main... 'catalogs/v4.*'
                                                changes of this branch
  olmap validate docker://quay.io/ns/catalog:v1  an image; docker:// is optional
  olmap validate https://catalogd.example/catalogs/ns

Exit code: 0 ok, 1 errors, or findings that --deny names, 2 failed, or something could not be checked.";

pub const EXPLAIN: &str = "\
Examples:
  olmap explain                                 all rules, one per line
  olmap explain dead-end                        one rule in detail

Exit code: 0 ok, 2 the rule does not exist.";

pub const LIST: &str = "\
Examples:
  olmap list packages catalog                   packages with the heads of their default channels
  olmap list channels -p tide catalog           the channels of a package
  olmap list images -o json catalog             for a mirror
  olmap list catalogs --changed-since main...   catalogs that this branch changes

Exit code: 0 ok, 2 failed.";

pub const COMPOSE: &str = "\
olmap writes nothing unless it can read all references and opm accepts the result.

Examples:
  olmap compose catalog.yaml                    writes NAME/REFERENCE/index.yaml
  olmap compose catalog.yaml --check            what would change
  olmap compose catalog.yaml --out catalogs/community
  olmap compose git:v1.0:catalog.yaml --check   the composition at a revision

Exit code: 0 ok, 1 with --check: something would change, 2 failed.";

pub const EXTRACT: &str = "\
olmap also extracts what the result needs, and lists it: the default channel, and entries without which a channel
does not have a single head. RANGE has the syntax of OLM v1 ('>=1.2 <2', '~1.4'); quote it.

Examples:
  olmap extract lamp tide catalog --to mine     two packages
  olmap extract lamp:stable catalog --to mine   one channel, and the default channel
  olmap extract 'lamp:stable:>=1.2' catalog -n
  olmap extract lamp:fast catalog --default-channel fast --to mine
  olmap extract lamp catalog --with-dependencies --to mine

Exit code: 0 ok, 2 failed.";

pub const SERVE: &str = "\
The HTTP server answers /api/v1/all and /api/v1/metas, also below /catalogs/NAME. opm serve uses gRPC instead.

Examples:
  olmap serve catalog                           http://127.0.0.1:8080/api/v1/all
  olmap serve catalog --port 0                  any free port

Exit code: 0 ok, 2 failed. The server runs until you stop it.";

pub const LSP: &str = "\
Editors start this command. It implements the language server protocol on standard input and output:
findings, hovers, completions and renames as you type. docs/editors.md shows how to configure an editor.

Examples:
  olmap lsp                                     in the configuration of an editor

Exit code: 0 ok, 1 the editor ended it without a shutdown request, 2 failed.";

pub const GENERATE: &str = "\
Examples:
  olmap generate dockerfile catalog             catalog.Dockerfile beside the directory
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

Exit code: 0 ok, 2 failed, for example because opm rejects the catalog.";

pub const INIT: &str = "\
Examples:
  olmap init tide                               the olm.package of tide
  olmap init tide -c stable -d README.md -i icon.png -o json

Exit code: 0 ok, 2 failed.";

pub const APIS: &str = "\
Examples:
  olmap apis catalog                            all APIs, missing ones first
  olmap apis certs.example.com/Issuer catalog   bundles that provide and require it
  olmap apis --missing catalogs/certified catalogs/community

Exit code: 0 ok, 1 with --missing: requirements are missing, 2 failed.";

pub const SUCCESSORS: &str = "\
Examples:
  olmap successors -p tide catalog              all installed versions, both OLMs
  olmap successors --installed 1.2.0 --explain catalog
  olmap successors --engine v1 --version '>=1.2.0 <2' catalog
  olmap successors --openshift 4.18 catalog     what blocks the update to 4.19
  olmap successors -f extension.yaml catalog    what a Subscription or ClusterExtension installs

Exit code: 0 ok, 2 failed.";

pub const RESOLVE: &str = "\
The output lists what OLM Classic installs, also for dependencies, or why it installs nothing.

Examples:
  olmap resolve catalog --subscribe tide        with its dependencies
  olmap resolve own=mine community=theirs --subscribe tide:stable@own
  olmap resolve catalog --subscribe tide --installed tide.v1.2.0
  olmap resolve catalog --cluster cluster.yaml  the next upgrades on a cluster
  olmap resolve catalog --queries questions.jsonl

Exit code: 0 resolved (also if OLM installs nothing), 2 failed, or the result is not known.";

pub const CLUSTER: &str = "\
This command writes the file; omit the kinds that your cluster does not have:
  kubectl get clusterversions,subscriptions.operators.coreos.com,clusterserviceversions,operatorgroups,catalogsources,\
installplans,clusterextensions,clustercatalogs -A -l '!olm.copiedFrom' -o yaml > cluster.yaml

Examples:
  olmap cluster cluster.yaml                    installed operators and their problems
  olmap cluster cluster.yaml --catalog catalogs/v4.18
  olmap cluster must-gather -o json             JSON of a must-gather

Exit code: 0 ok, 1 an operator has problems or is not as expected, or something could not be read, 2 failed.";

pub const RESOURCES: &str = "\
The output is a ClusterExtension, or a Subscription with its OperatorGroup, for kubectl apply -f. olmap does not
contact a cluster. Notes go to standard error.

Examples:
  olmap resources 1.2.0 -p tide catalog         Namespace, OperatorGroup, Subscription
  olmap resources tide.v1.2.0 catalog -c stable --source olm/harbour
  olmap resources tide.v1.2.0 catalog --engine v1 --namespace tides

Exit code: 0 ok, 1 OLM would refuse the version, 2 failed, or such resources cannot exist.";

pub const CEL: &str = "\
Examples:
  olmap cel 'properties.exists(p, p.type == \"tier\" && p.value == \"gold\")'
  olmap cel --batch rules.jsonl

Exit code: 0 ok, 2 the rule does not compile, olmap cannot read it, or failed.";

pub const PATH: &str = "\
Examples:
  olmap path 1.2.0 2.0.0 catalog                step by step, with both OLMs
  olmap path 1.2.0 2.0.0 --engine classic -c stable catalog

Exit code: 0 there is an upgrade path, 1 there is none, 2 failed, or manifests could not be read.";

pub const OVERVIEW: &str = "\
Examples:
  olmap overview catalogs/v4.18 catalogs/v4.20  a row per package, a column per catalog
  olmap overview .                              all catalogs in catalogs/ of a repository
  olmap overview -p tide 4.18=old.yaml 4.20=new.yaml
  olmap overview --sort name -o json catalog

Exit code: 0 ok, 2 failed.";

pub const REPORT: &str = "\
The report is one HTML file for readers without a terminal.

Examples:
  olmap report catalog --to report.html         a page about a catalog
  olmap report catalog --against git:main --to report.html
  olmap report catalogs/v4.18 catalogs/v4.20 --to report.html
  olmap report catalog -p tide --baseline baseline.yaml --to tide.html
  olmap report . --against git:main --fail-on new-stuck,errors --to report.html

Exit code: 0 ok, 1 the report has a problem that --fail-on names, 2 failed, or something could not be checked.";

pub const PLAN: &str = "\
The plan lists the upgrades in each catalog, and what blocks the update.

Examples:
  olmap plan --installed tide.v1.2.0@stable catalogs/v4.18 catalogs/v4.20
  olmap plan --from 4.18 --to 4.22 --installed tide.v1.2.0 --installed ship.v2.0.0 .
  olmap plan --all --fail-on stranded catalogs/v4.18 catalogs/v4.20
  olmap plan --installed tide.v1.2.0 4.18=old.yaml 4.20=new.yaml

Exit code: 0 all operators get to the target version, 1 something is blocked, 2 failed. With --all: 0, or 1 with
--fail-on stranded if a version is stranded.";

pub const EXPECT: &str = "\
Examples:
  olmap expect --record expectations.yaml catalog  record the current upgrades
  olmap expect expectations.yaml catalog        differences, with reasons
  olmap expect -o github expectations.yaml catalog
  olmap expect --record - -p tide --engine v1 catalog

Exit code: 0 all expectations are met, 1 some are not met, 2 invalid file or failed.";

pub const GRAPH: &str = "\
Examples:
  olmap graph -p tide catalog                   a drawing of each channel
  olmap graph -p tide -c stable -o svg catalog
  olmap graph -p tide --side-by-side catalog

Exit code: 0 ok, 2 failed.";

pub const RANGE: &str = "\
Examples:
  olmap range '>=1.0.0 <2.0.0' 1.5.0 2.0.0      in both dialects
  olmap range '1.x' --catalog catalog --dialect masterminds

Exit code: 0 all versions match, 1 some do not match, 2 failed.";

pub const STUCK: &str = "\
A version is stuck if its upgrades never lead to the head of the default channel.

Examples:
  olmap stuck catalog                           packages with stuck versions, reasons and remedies
  olmap stuck catalog -p tide -o json           JSON for one package
  olmap stuck --changed-since main --fail-on any

Exit code: 0 ok, 1 with --fail-on any: a version is stuck, 2 failed, or the stuck versions are not known.";

pub const READINESS: &str = "\
For each other package the output shows what blocks OLM v1, and what to do.

Examples:
  olmap readiness catalog                       a table, and the blockers of each package
  olmap readiness catalog -p tide --bundles operators/tide
  olmap readiness catalog -o markdown           for an issue or a pull request

Exit code: 0 all packages are ready, 1 some are not ready, 2 failed, or manifests could not be read.";

pub const DEPRECATIONS: &str = "\
The output shows users without an upgrade path, where OLM v1 stops, and what could be deprecated.

Examples:
  olmap deprecations catalog                    affected versions, and their upgrade paths
  olmap deprecations -p tide --since catalog
  olmap deprecations --as-of 2027-01-01 catalog  bundles out of support on that day
  olmap deprecations -o markdown catalog        for a comment on a pull request

Exit code: 0 nothing blocks, 1 users have no upgrade path or OLM v1 stops, 2 failed, or part of the catalog could not be read.";

pub const MIRROR: &str = "\
Examples:
  olmap mirror filter catalog -f imageset.yaml              the remaining entries of each channel
  olmap mirror filter catalog -f imageset.yaml -o yaml

  olmap mirror check imageset.yaml catalog                  stranded versions, and the line to change
  olmap mirror check imageset.yaml catalog --installed tide.v1.2.0@stable

Exit code: 0 ok, 1 check: users lose upgrades, 2 failed, or oc-mirror rejects the configuration.";

pub const RENDER: &str = "\
Examples:
  olmap render catalog                          same output as opm render
  olmap render -o json catalogs/v4.20 catalogs/v4.21
  olmap render git:main:operators/tide/1.3.0    a bundle directory at a revision
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

Exit code: 0 ok, 1 validate found errors, or diff found what --fail-on names, 2 failed, or something could not be checked.";

pub const CRDS: &str = "\
Examples:
  olmap crds diff old/widgets.yaml new/widgets.yaml
  olmap crds diff operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds diff --catalog catalogs/v4.22 tide.v1.2.0 tide.v1.3.0
  olmap crds diff -o json operators/tide/1.2.0 operators/tide/1.3.0
  olmap crds graph operators/tide               all steps of its channels
  olmap crds graph catalogs/v4.22 --bundles operators --refused

Exit code: 0 OLM refuses nothing, 1 OLM refuses something, 2 failed, or CRDs could not be read.";

pub const TEMPLATE: &str = "\
Examples:
  olmap template render semver.yaml --bundles catalog
  olmap template render basic.yaml --bundles catalog -o mermaid
  olmap template convert basic catalog.yaml     a basic template of a catalog
  olmap template convert semver catalog         a semver template, if possible
  olmap template check                          the repository you are in, for CI
  olmap template check --template t.yaml --catalog v4.20/catalog git:main:v4.22/catalog

Exit code: 0 ok, 1 check found a difference, 2 failed, or a file could not be read.";

pub const HISTORY: &str = "\
olmap follows the first parent of each commit, so a merge is one step. It does not list commits that change only \
other packages in a shared file. It writes and fetches nothing.

Examples:
  olmap history tide catalog                    all commits, newest first
  olmap history tide catalog --since v1.0 --limit 10
  olmap history tide catalog --of 1.2.0         who added and removed the bundle, and when

Exit code: 0 ok, 2 failed.";

pub const EDIT: &str = "\
Examples:
  olmap edit promote tide.v1.3.0 -c stable -n catalog
  olmap edit remove-entry tide.v1.2.9 -c stable --repair catalog
  olmap edit deprecate --bundle tide.v1.2.0 --message 'Please upgrade.' catalog
  olmap edit fix --deny catalog                 fix what can be fixed automatically
  olmap edit describe --package tide 'A broker.' --all
                                                in all catalogs of the repository

Exit code: 0 ok, 1 refused by --deny, 2 failed.";

pub const DIFF: &str = "\
Examples:
  olmap diff git:main catalogs/v4.22            changes of the current branch
  olmap diff catalogs/v4.20 catalogs/v4.22
  olmap diff git:v1.0 git:v1.1:catalogs/v4.22   two revisions of a catalog
  olmap diff --fail-on all -o markdown git:origin/main catalog
  olmap diff --changed-since main...            all catalogs that this branch changes
  olmap diff catalog template.yaml              changes by rendering the template

Exit code: 0 ok, 1 a change that --fail-on names, 2 failed, or something could not be checked.";

pub const KEYS: &str = "\
Examples:
  olmap keys                                    a star marks changed keys
  olmap --config none keys -o markdown          the text of docs/keys.md

Exit code: 0 ok, 2 failed.";

pub const CONFIG: &str = "\
The configuration file is ~/.config/olmap/config.toml (XDG rules), or the file in OLMAP_CONFIG or --config. The
explorer, olmap keys, olmap config and olmap doctor read it. Other commands only use options and environment
variables.

Examples:
  olmap config --print                          current values, to copy into the file
  olmap config --path                           path of the file
  olmap config --check                          all errors of the file
  olmap --config work.toml config --check       check another file
  olmap config --schema                         schema for completion in an editor

Exit code: 0 ok, 1 --check found errors, 2 failed.";

pub const COMPLETIONS: &str = "\
Examples:
  olmap completions bash                        source <(olmap completions bash)
  olmap completions fish                        into ~/.config/fish/completions/olmap.fish

Exit code: 0 ok, 2 the shell is not supported.";

pub const MAN: &str = "\
Examples:
  olmap man                                     view it with olmap man | man -l -
  olmap man --dir share/man/man1                this page and a page per command
  olmap man -o markdown                         the text of docs/commands.md

Exit code: 0 ok, 2 failed.";

/// Returns the examples of a help text: the description and the command line of each.
pub fn parse_examples(help: &str) -> impl Iterator<Item = (&str, &str)> {
    help.lines().filter_map(|line| {
        let line = line.strip_prefix("  ").filter(|line| line.starts_with("olmap"))?;
        let (line, words) = line.split_once("  ").unwrap_or((line, ""));
        Some((words.trim(), line.trim_end()))
    })
}

pub const CACHE: &str = "\
Examples:
  olmap cache show                              location and size of the cache
  olmap cache clear                             remove everything; olmap fetches images again

Exit code: 0 ok, 2 failed.";

pub const DOCTOR: &str = "\
The output contains nothing private: no user or host name. For private variables it only says whether they are set.

Examples:
  olmap doctor                                  text
  olmap doctor -o json                          JSON
  olmap doctor --read-only                      without a write test in the state directory

Exit code: 0 ok, 2 failed.";

#[cfg(test)]
mod tests {
    use super::parse_examples;
    use crate::cli::args::Cli;

    /// Collects the names of a command and its subcommands, each with the end of its help.
    fn collect_commands(command: &clap::Command, name: &str, all: &mut Vec<(String, String)>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        all.push((name.to_owned(), help));
        // The operations of edit share its examples.
        for below in command.get_subcommands().filter(|c| name == "olmap" && c.get_name() != "help") {
            collect_commands(below, &format!("{name} {}", below.get_name()), all);
        }
    }

    #[test]
    fn every_command_has_valid_examples_and_exit_codes() {
        let mut all = Vec::new();
        collect_commands(&Cli::definition(), "olmap", &mut all);
        assert!(all.len() > 12, "{all:?}");
        for (name, help) in all {
            assert!(help.contains("Exit code: 0"), "{name} tells of its exit codes");
            let mut found = 0;
            for (_, line) in parse_examples(&help) {
                found += 1;
                let words = shell_words::split(line).unwrap();
                // A command line is separated from its description by two spaces.
                assert!(!words.iter().any(|word| word.ends_with([',', ';'])), "{line}");
                let parsed = Cli::from_arguments(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
                let command = name.strip_prefix("olmap").unwrap().trim();
                assert!(line.contains(command), "{line} is an example of {name}");
                assert!(command.is_empty() || parsed.command.is_some(), "{line}");
            }
            assert!(found > 0, "{name} has examples");
        }
    }

    #[test]
    fn commands_accept_options_of_the_explorer_but_hide_them_in_help() {
        let mut whole = Cli::definition();
        whole.build();
        let help = |name: &str| whole.find_subcommand(name).unwrap().clone().render_long_help().to_string();
        for option in ["--theme", "--read-only", "--no-watch"] {
            assert!(!help("validate").contains(option), "{option}");
            assert!(help("doctor").contains(option), "{option}");
        }
        assert!(help("validate").contains("--ascii") && !help("validate").contains("--config"));
        assert!(help("keys").contains("--config"));
        let cli = Cli::from_arguments(["olmap", "edit", "fix", "--read-only", "--theme", "dark", "catalog"])
            .unwrap();
        assert!(cli.global.read_only && cli.global.theme.is_some());
    }

    #[test]
    fn options_are_accepted_before_the_command() {
        let graph = Cli::from_arguments(["olmap", "--ascii", "graph", "catalog"]).unwrap();
        assert!(graph.command.is_some() && graph.explore.paths.is_empty() && graph.global.ascii);
        let two = Cli::from_arguments(["olmap", "one", "graph"]).unwrap();
        assert!(two.command.is_none() && two.explore.paths.len() == 2);
    }
}
