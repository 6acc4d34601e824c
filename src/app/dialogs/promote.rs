//! Choosing the channels a bundle is put into, and its edges in each.

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

/// The choice of channels.
#[derive(Debug)]
pub struct Promote {
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub bundle: BundleName,
    /// The channels of the package and what would happen in each.
    pub targets: Vec<PromoteTarget>,
    /// The row.
    pub cursor: usize,
    /// What the chosen ones would lead to; nothing while none is chosen.
    pub preview: Prospect,
}

/// A channel a bundle could be put into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoteTarget {
    /// The channel.
    pub channel: ChannelName,
    /// The edges it could have there, or why it cannot go there.
    pub offer: Result<Offer, Refusal>,
    /// Which of them are wanted.
    pub wish: Wish,
    /// Whether it is chosen.
    pub chosen: bool,
    /// Whether the channel is to be made for it.
    pub is_new: bool,
}

impl Promote {
    /// The channels of a package, with the cursor on the first that the bundle can go to.
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

    /// The edit the chosen channels stand for; `None` while none is chosen.
    pub fn edit(&self) -> Option<Edit> {
        let chosen = || self.targets.iter().filter(|target| target.chosen);
        chosen().next()?;
        let there = chosen().filter(|target| !target.is_new);
        let there = there.filter_map(|target| Some((target.channel.clone(), target.spec()?)));
        let new = chosen().filter(|target| target.is_new).map(|target| target.channel.clone());
        Some(Edit::promote(&self.package, &self.bundle, there, new))
    }

    /// Chooses a channel that is to be made.
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

    /// Works out what promoting to the chosen channels would lead to.
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

    /// Chooses the channel under the cursor, or no longer; says why it cannot be chosen.
    fn choose(&mut self, cx: &mut Cx<'_>) {
        let Some(target) = self.targets.get_mut(self.cursor) else { return };
        match &target.offer {
            Err(refusal) => cx.notices.refused(format!("{} {}: {refusal}", self.bundle, target.channel)),
            Ok(_) => target.chosen = !target.chosen,
        }
        self.refresh(cx.session);
    }

    /// Other edges in the channel under the cursor, which is chosen by that.
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
    /// The edges it would get.
    pub fn spec(&self) -> Option<EntrySpec> {
        self.offer.as_ref().ok().map(|offer| offer.spec(self.wish))
    }

    /// Whether it could take the head's place.
    pub fn has_instead(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.instead.is_some())
    }

    /// Whether it could have a range like the head's.
    pub fn has_range(&self) -> bool {
        self.offer.as_ref().is_ok_and(|offer| offer.range.is_some())
    }
}

impl DialogState for Promote {
    fn id(&self) -> Dialog {
        Dialog::Promote
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        // The last row is for a channel that is not there.
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
                // On to the next that can be chosen; where there is none, the same key takes it back.
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

    /// The last row is for a channel that is not there.
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
