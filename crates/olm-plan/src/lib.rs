//! Upgrade plans over several OpenShift versions, clusters and mirrored catalogs of Operator Lifecycle Manager (OLM).
//!
//! A cluster updates from one OpenShift version to the next, and each has its own catalog. Many clusters see only a
//! part of a catalog. This crate plans the upgrades of installed operators and computes valid parts of catalogs.
//! Start with [`planner::plan_operator`].
//!
//! | to | use |
//! |---|---|
//! | label catalogs with OpenShift versions | [`series::Release`] |
//! | plan the upgrades of an operator | [`planner::PlanCatalogs`], [`planner::plan_operator`] |
//! | plan all operators of a cluster | [`planner::ClusterPlan`] |
//! | compare several catalogs in one table | [`overview::Overview`] |
//! | extract a part that opm accepts | [`extract::extract()`] |
//! | filter a catalog as oc-mirror v2 does | [`mirror::parse_configuration`], [`mirror::filter_catalog`] |
//! | find upgrades that a mirror breaks | [`mirror::check_upgrades`] |
//! | write the image set configuration for a plan | [`image_set::ImageSet`] |
//! | read the operators of a cluster, and compare them with catalogs | [`cluster::Reader`], [`cluster::report_cluster`] |
//! | create the custom resources that install a version | [`resources::create_resources`] |
//!
//! ```
//! use olm_catalog::{Catalog, load};
//! use olm_plan::{
//!     planner::{PlanCatalogs, PlanSettings, PlanStart, plan_operator},
//!     series::Release,
//! };
//! use olm_upgrade::{Engine, Installed};
//!
//! let catalog = |old: &str, new: &str| -> Catalog {
//!     let mut text = format!("\
//! schema: olm.package
//! name: ship
//! defaultChannel: stable
//! ---
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v{old}
//! - {{name: ship.v{new}, replaces: ship.v{old}}}
//! ");
//!     for version in [old, new] {
//!         text += &format!("\
//! ---
//! schema: olm.bundle
//! package: ship
//! name: ship.v{version}
//! image: registry.example.com/ship:v{version}
//! properties:
//! - {{type: olm.package, value: {{packageName: ship, version: {version}}}}}
//! ");
//!     }
//!     load::from_bytes(text.into_bytes())
//! };
//! let releases = [
//!     Release::new("catalogs/v4.18".to_owned(), catalog("1.0.0", "1.1.0")),
//!     Release::new("catalogs/v4.19".to_owned(), catalog("1.1.0", "1.2.0")),
//! ];
//! let package = releases[0].catalog.package("ship").ok_or("no such package")?;
//! let installed = Installed::parse(package, "1.0.0")?;
//! let start = PlanStart::for_installed(&package.name, installed, None, Engine::Classic, package);
//!
//! let catalogs = PlanCatalogs::new(&releases, |_| true);
//! let ship = catalogs.find_package("ship").ok_or("no such package")?;
//! let plan = plan_operator(ship, &start.ok_or("not in a channel")?, &PlanSettings::new(Engine::Classic));
//! assert!(plan.arrives());
//! assert_eq!(plan.reached_version().map(|version| version.to_string()).as_deref(), Some("4.19"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **A plan has only upgrades that OLM makes** in the catalog of that OpenShift version.
//! - **An extract follows the rules of opm.** If no valid extract is possible, the error says why.
//!   [`extract::new_rejections`] checks the result.
//! - **A filtered catalog is that of oc-mirror v2**, including the upgrades that it breaks.
//! - **Secrets are not kept.** [`cluster::Cluster`] stores only the fields that it needs.
//! - No input causes a panic. There is no unsafe code and no I/O: no cluster is contacted.

pub mod cluster;
pub mod extract;
pub mod image_set;
pub mod mirror;
pub mod overview;
pub mod planner;
pub mod resources;
pub mod series;
