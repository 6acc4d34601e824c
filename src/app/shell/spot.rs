//! Where the selected row stands in a file on disk.

use crate::app::keys::Screen;
use crate::app::keys::spec::Reason;
use crate::app::parts::list::ListId;
use crate::app::session::spot::named;
use crate::app::session::spot::spot;
use crate::app::shell::model::Model;
use crate::app::work::effect::Spot;
use crate::catalog::blob::DeprecationTarget;
use crate::catalog::model::Catalog;
use crate::validate::diagnostic::Location;

impl Model {
    /// Where the selected thing stands on disk. What an unsaved edit added stands nowhere yet: then where it will be.
    ///
    /// # Errors
    ///
    /// When nothing of it is on disk: why.
    pub fn spot(&self) -> Result<Spot, Reason> {
        let of_finding = |catalog: &Catalog| self.of_finding(catalog);
        let of_deprecation = |catalog: &Catalog| self.of_deprecation(catalog);
        match self.session.screen {
            Screen::Problems => self.session.spot(Some(&of_finding)),
            Screen::Deprecations => self.session.spot(Some(&of_deprecation)),
            _ => self.session.spot(None),
        }
    }

    fn of_finding(&self, catalog: &Catalog) -> Option<Spot> {
        let finding = &self.derived.problems().get(self.cursor(ListId::Problems)?)?.finding;
        match finding.at.as_ref()? {
            Location::Document(doc, span) => spot(catalog, (*doc, *span)),
            Location::File(path) => {
                let disk = catalog.files().iter().find(|file| file.shown() == path)?.disk.clone()?;
                Some(Spot { path: disk, line: 1 })
            }
        }
    }

    fn of_deprecation(&self, catalog: &Catalog) -> Option<Spot> {
        let row = self.derived.deprecations().get(self.cursor(ListId::Deprecations)?)?;
        let package = catalog.package(row.package.as_str())?;
        let of_target = match row.target() {
            Some(DeprecationTarget::Channel(name)) => [Some(name.as_str()), None],
            Some(DeprecationTarget::Bundle(name)) => [None, Some(name.as_str())],
            Some(DeprecationTarget::Package) | None => [None, None],
        };
        let is_it = |target: Option<&DeprecationTarget>| target == row.target();
        let stated = package.deprecations.iter().find_map(|blob| {
            let entry = blob.entries.iter().find(|entry| is_it(entry.target.as_ref()))?;
            Some((blob.doc, entry.span))
        });
        spot(catalog, stated.or_else(|| named(package, of_target))?)
    }
}
