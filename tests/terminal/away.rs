//! While the shell or another program has the terminal, and afterwards.

use std::path::Path;

use crate::pty::{Terminal, catalog, screen_of};

/// olmap as the job of a shell, which writes down its process id. Once it has stopped the shell waits for a line, and
/// continues it after one more.
const JOB: &str = r#"
set -m
sh -c 'echo $$ >"$0/pid"; exec "$1" "$2"' "$0" "$1" "$2"
echo "back in the shell"
read line
echo "the shell read <$line>"
read line
fg
echo "left with $?"
"#;

struct Job {
    terminal: Terminal,
    folder: tempfile::TempDir,
}

impl Job {
    fn start(catalog: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let terminal = Terminal::run("sh", |command| {
            command.args(["-c", JOB]);
            command.args([folder.path(), Path::new(env!("CARGO_BIN_EXE_olmap")), catalog]);
        });
        Self { terminal, folder }
    }

    fn signal(&self, name: &str) {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap();
        let sent = std::process::Command::new("kill").args(["-s", name, pid.trim()]).status().unwrap();
        assert!(sent.success());
    }
}

#[test]
fn it_stops_for_the_shell_and_comes_back_with_all_of_the_screen_at_its_new_size() {
    let (folder, _) = catalog();
    for how in ["\x1a", "TSTP"] {
        let mut job = Job::start(folder.path());
        job.terminal.shows("Entries 2");
        if how.len() == 1 {
            job.terminal.press(how);
        } else {
            job.signal(how);
        }
        job.terminal.shows("back in the shell");
        job.terminal.assert_given_back();
        job.terminal.resize(20, 120);
        // The shell reads what is typed now, and shows it while it is typed: the terminal is as it was.
        job.terminal.press("j2\x7fq\r");
        job.terminal.shows("the shell read <jq>");
        assert!(job.terminal.parser.screen().contents().contains("jq\n"), "what was typed was not shown");
        // Nothing is left of what was on the screen: all of it is drawn again.
        job.terminal.parser = screen_of(20, 120);
        job.terminal.press("\r");
        job.terminal.shows("Entries 2");
        job.terminal
            .wait_until("the last row", |screen| screen.contents_between(19, 0, 19, 120).contains("? help"));
        job.terminal.press("q");
        job.terminal.shows("left with 0");
        job.terminal.assert_given_back();
        job.terminal.end();
    }
}

#[test]
fn a_terminal_that_was_used_without_asking_is_taken_again() {
    let (folder, _) = catalog();
    let mut job = Job::start(folder.path());
    job.terminal.shows("Entries 2");
    // This one cannot be heard: nothing could be given back before.
    job.signal("STOP");
    job.terminal.wait_until_written("back in the shell");
    job.terminal.press("\n");
    job.terminal.wait_until_written("the shell read");
    job.terminal.parser = screen_of(30, 100);
    job.terminal.press("\n");
    job.terminal.shows("Entries 2");
    job.terminal.press("q");
    job.terminal.shows("left with 0");
    job.terminal.assert_given_back();
    job.terminal.end();
}

#[test]
fn without_a_shell_above_it_does_not_stop() {
    let (folder, _) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    terminal.press("\x1a");
    terminal.shows("there is no shell to come back from");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
