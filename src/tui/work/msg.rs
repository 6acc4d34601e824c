//! Messages to the explorer.

use std::{path::PathBuf, sync::Arc};

use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::{
    job::{JobResult, Question},
    outcome::{AddedRows, Exported, LoadProgress, SaveDestination, SaveFailure, UserError},
    source::Source,
};
use crate::tui::parts::{frame::HitMap, theme_settings::Background};
use olm_check::review::Snapshot;

/// Message to the explorer: an input event or the result of an effect.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A mouse event.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal was resized: columns, rows.
    Resize(u16, u16),
    /// The terminal reported its background color.
    TerminalBackground(Background),
    /// A frame was drawn, with the areas for mouse hits.
    Drawn(HitMap),
    /// Periodic progress report while the user waits for loading.
    WaitProgress(LoadProgress),
    /// The terminal got the focus.
    FocusGained,
    /// The editor exited, or failed to run.
    EditorExited(Result<(), UserError>),
    /// Result of work for the user, as a notice.
    Notice(Result<String, UserError>),
    /// A request that is not possible here, with the reason.
    Refused(String),
    /// A background job answered its question, or a part of it.
    JobDone(JobResult),
    /// Writing ended.
    Saved {
        /// The written catalogs, each with its written state.
        written: Vec<(usize, Arc<Snapshot>)>,
        /// The destination, or the reason why nothing was written.
        outcome: Result<SaveDestination, SaveFailure>,
        /// Warning about a successful write.
        warning: Option<String>,
    },
    /// Another explorer has the catalog or a part of it open.
    OpenElsewhere {
        /// The catalog.
        source: Source,
        /// Process ID of the other explorer.
        process: u32,
    },
    /// A catalog changed on disk. The change may come from this program.
    ChangedOnDisk(Source),
    /// The journal cannot be written, so edits would not survive a crash. With the reason.
    JournalFailed(String),
    /// Upgrade expectations were added, or adding them failed.
    ExpectationsAdded {
        /// The catalog.
        source: Source,
        /// The path in the request.
        asked: PathBuf,
        /// The added rows, or the reason of the failure.
        outcome: Result<AddedRows, UserError>,
    },
    /// A graph or comparison was written.
    Exported {
        /// The path in the request.
        asked: PathBuf,
        /// The written file, or the reason of the failure.
        outcome: Result<Exported, UserError>,
    },
}

impl Msg {
    /// Creates the message with the answer to a question.
    pub fn answer<Q: Question>(question: Arc<Q>, answer: Q::Answer) -> Self {
        Self::JobDone(JobResult::new(question, answer))
    }
}
