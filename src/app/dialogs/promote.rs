//! Dialog that promotes a bundle to other channels and chooses its edges.

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        session::{
            Session,
            cx::{Cx, See},
        },
        work::{
            Opening, Prospect, Reply,
            opening::{Asked, Purpose},
        },
    },
    catalog::{BundleName, ChannelName, PackageName, blob::EntrySpec},
    edit::Edit,
    upgrade::promote::{Offer, Refusal, Wish, offer},
};

/// State of the dialog.
#[derive(Debug)]
pub struct Promote {
    /// Package of the bundle.
    pub package: PackageName,
    /// Bundle to promote.
    pub bundle: BundleName,
    /// Channels of the package with the effect in each.
    pub targets: Vec<PromoteTarget>,
    /// Index of the selected channel.
    pub cursor: usize,
    /// Preview of the promotion; empty while no channel is chosen.
    pub preview: Prospect,
}

/// Channel that a bundle can be promoted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoteTarget {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Possible edges in the channel, or the reason why the bundle cannot be added.
    pub offer: Result<Offer, Refusal>,
    /// Chosen variant of the edges.
    pub wish: Wish,
    /// True if the bundle will be added to the channel.
    pub chosen: bool,
    /// True if the channel will be created.
    pub is_new: bool,
}

impl Promote {
    /// Lists the channels of a package, with the cursor on the first possible one.
    pub(in crate::app) fn new(package: PackageName, bundle: BundleName, session: &Session) -> Self {
        let judged = session.snapshot().and_then(|now| now.package(package.as_str()));
        let channels = judged.into_iter().flat_map(|judged| {
            judged.graph.channels().iter().map(|upgrades| PromoteTarget {
                channel: upgrades.graph.name().clone(),
                offer: offer(judged.package(), &upgrades.graph, &bundle),
                wish: Wish::default(),
                chosen: false,
                is_new: false,
            })
        });
        let targets: Vec<PromoteTarget> = channels.collect();
        let cursor = targets.iter().position(|target| target.offer.is_ok()).unwrap_or(targets.len());
        Self { package, bundle, targets, cursor, preview: Prospect::Nothing }
    }

    /// Returns the edit for the chosen channels; `None` if there are none.
    pub fn edit(&self) -> Option<Edit> {
        let chosen = || self.targets.iter().filter(|target| target.chosen);
        chosen().next()?;
        let there = chosen().filter(|target| !target.is_new);
        let there = there.filter_map(|target| Some((target.channel.clone(), target.spec()?)));
        let new = chosen().filter(|target| target.is_new).map(|target| target.channel.clone());
        Some(Edit::promote(&self.package, &self.bundle, there, new))
    }

    /// Adds and chooses a new channel.
    fn add_new(&mut self, channel: ChannelName) {
        let offer = Offer { channel: channel.clone(), head: None, instead: None, range: None };
        self.cursor = self.targets.len();
        self.targets.push(PromoteTarget {
            channel,
            offer: Ok(offer),
            wish: Wish::default(),
            chosen: true,
            is_new: true,
        });
    }

    /// Requests the preview of the promotion to the chosen channels.
    fn refresh(&mut self, session: &Session) {
        self.preview = self.edit().map_or(Prospect::Nothing, |edit| session.prospect(edit));
    }

    fn ask_name(&self) -> Step {
        let taken = self.targets.iter().filter(|target| target.is_new);
        let taken = taken.map(|target| target.channel.clone()).collect();
        Step::Above(Opening::Ask {
            purpose: Purpose::Edit,
            package: self.package.clone(),
            asked: Asked::PromoteTo { bundle: self.bundle.clone(), taken },
            proposed: String::new(),
        })
    }

    /// Chooses the selected channel or removes it from the choice. Reports the reason if it is not
    /// possible.
    fn choose(&mut self, cx: &mut Cx<'_>) {
        let Some(target) = self.targets.get_mut(self.cursor) else { return };
        match &target.offer {
            Err(refusal) => cx.notices.refused(format!("{} {}: {refusal}", self.bundle, target.channel)),
            Ok(_) => target.chosen = !target.chosen,
        }
        self.refresh(cx.session);
    }

    /// Changes the edges in the selected channel and chooses the channel.
    fn wish(&mut self, cx: &mut Cx<'_>, change: impl Fn(&mut PromoteTarget)) {
        let Some(target) = self.targets.get_mut(self.cursor) else { return };
        let before = target.wish;
        change(target);
        if target.wish == before {
            let words = format!("the head of {} has no skipRange to copy", target.channel);
            cx.notices.refused(words);
        } else {
            target.chosen = true;
            self.refresh(cx.session);
        }
    }
}

impl PromoteTarget {
    /// Returns the edges of the new entry.
    pub fn spec(&self) -> Option<EntrySpec> {
        self.offer.as_ref().ok().map(|offer| offer.spec(self.wish))
    }

    /// Returns true if the bundle can replace the head.
    pub fn has_instead(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.instead.is_some())
    }

    /// Returns true if the skipRange of the head can be copied.
    pub fn has_range(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.range.is_some())
    }
}

impl DialogState for Promote {
    fn id(&self) -> Dialog {
        Dialog::Promote
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        // The last row creates a channel.
        let last = self.targets.len();
        let asks = self.cursor == last;
        match press {
            Press::Action(ActionId::Choose) if asks => return self.ask_name(),
            Press::Action(ActionId::Accept) if asks && self.preview.is_nothing() => return self.ask_name(),
            Press::Action(ActionId::Accept) => {
                if self.preview.is_nothing() {
                    self.choose(cx);
                }
                if let Some(Ok(outcome)) = cx.session.now(&mut self.preview).cloned() {
                    cx.keep(Purpose::Edit, outcome);
                    return Step::Close;
                }
            }
            Press::Action(ActionId::Choose) => {
                self.choose(cx);
                // Move to the next possible channel. On the last one, the same key reverts the
                // choice.
                let mut below = self.targets.iter().enumerate().skip(self.cursor + 1);
                if let Some((next, _)) = below.find(|(_, target)| target.offer.is_ok()) {
                    self.cursor = next;
                }
            }
            Press::Action(ActionId::PromoteSkips) => self.wish(cx, |target| {
                target.wish.instead = !target.wish.instead && target.has_instead();
            }),
            Press::Action(ActionId::PromoteRange) => self.wish(cx, |target| {
                target.wish.range = !target.wish.range && target.has_range();
            }),
            _ => {}
        }
        Step::Stay
    }

    fn prospect(&mut self) -> Option<&mut Prospect> {
        Some(&mut self.preview)
    }

    /// Counts one row more than there are targets; the last row creates a channel.
    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.targets.len() + 1, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn replied(&mut self, reply: Reply, see: &See<'_>) {
        let Reply::Channel(channel) = reply;
        self.add_new(channel);
        self.refresh(see.session);
    }
}
