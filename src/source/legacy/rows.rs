//! Reading the tables with SQLite. The database is bytes in memory: no file is opened, locked or changed, and no journal is
//! made beside it. It is somebody else's, so its schema is not trusted and every question is bounded.

use std::{
    collections::HashSet,
    io::{Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::{Connection, Error, config::DbConfig, limits::Limit, types::ValueRef};

use super::{
    HEADER,
    fault::IndexFault,
    tables::{ApiRow, BundleRow, ChannelRow, EntryRow, PackageRow, Tables, TypedRow},
};

/// The longest text of a row, in bytes: far above what a bundle may have on a cluster.
const LONGEST: i32 = 64 << 20;
/// How many steps of its machine SQLite takes between one look and the next.
const STEPS: i32 = 10_000;
/// How many looks all questions together may take: 500 million steps, where an index of 300 MB takes some ten.
const LOOKS: u32 = 50_000;
/// Most bytes of all texts together: more than the whole file of the largest index that was ever published.
const TEXTS: usize = 256 << 20;
/// Rows of one table.
const ROWS: usize = 4_000_000;

/// Reads the tables of an index.
pub(super) fn read(mut header: [u8; HEADER], rest: impl Read, length: usize) -> Result<Tables, IndexFault> {
    // A database that a journal was written ahead of cannot be opened without one; in the copy that is taken back. The
    // bytes are the versions of the format that may write and read it.
    for at in [18, 19] {
        if let Some(byte) = header.get_mut(at) {
            *byte = 1;
        }
    }
    let mut database = Connection::open_in_memory().map_err(told)?;
    database.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST).map_err(told)?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        database.set_db_config(config, on).map_err(told)?;
    }
    // SQLite reads into its own memory: there is no second copy.
    database.deserialize_read_exact("main", Cursor::new(header).chain(rest), length, true).map_err(told)?;
    let exhausted = Arc::new(AtomicBool::new(false));
    let (mut looks, is_over) = (0, Arc::clone(&exhausted));
    let over = move || {
        looks += 1;
        if looks > LOOKS {
            is_over.store(true, Ordering::Relaxed);
        }
        looks > LOOKS
    };
    database.progress_handler(STEPS, Some(over)).map_err(told)?;
    // What rows hold in all: pages that are shared by mistake would otherwise count again and again.
    let left = length.saturating_mul(4).saturating_add(1 << 20).min(TEXTS);
    let mut reader = Reader { database: &database, left };
    let tables = reader.tables();
    if exhausted.load(Ordering::Relaxed) { Err(IndexFault::Unbounded) } else { tables }
}

fn told(error: Error) -> IndexFault {
    let words = match error {
        Error::SqliteFailure(code, words) => words.unwrap_or_else(|| code.to_string()),
        other => other.to_string(),
    };
    IndexFault::Database(words)
}

struct Reader<'d> {
    database: &'d Connection,
    /// Bytes that may still be read.
    left: usize,
}

/// One row, cell by cell.
type Cells = Vec<Option<String>>;

impl Reader<'_> {
    fn tables(&mut self) -> Result<Tables, IndexFault> {
        let mut tables = Tables::default();
        let columns = self.columns("operatorbundle")?;
        tables.has_version = columns.contains("version");
        tables.has_skip_range = columns.contains("skiprange");
        self.each(
            "operatorbundle",
            true,
            &["name", "csv", "bundle", "bundlepath", "skiprange", "version"],
            |row| {
                let [name, csv, objects, path, skip_range, version] = cells(row);
                tables.bundles.push(BundleRow { name, csv, objects, path, skip_range, version });
            },
        )?;
        self.each("package", true, &["name", "default_channel"], |row| {
            let [name, default_channel] = cells(row);
            tables.packages.push(PackageRow { name: name.unwrap_or_default(), default_channel });
        })?;
        self.each("channel", true, &["name", "package_name", "head_operatorbundle_name"], |row| {
            let [name, package, head] = cells(row);
            let (name, package) = (name.unwrap_or_default(), package.unwrap_or_default());
            tables.channels.push(ChannelRow { name, package, head });
        })?;
        let columns =
            ["entry_id", "channel_name", "package_name", "operatorbundle_name", "replaces", "depth"];
        self.each("channel_entry", true, &columns, |row| {
            let [id, channel, package, bundle, replaces, depth] = cells(row);
            tables.entries.push(EntryRow {
                id: number(id).unwrap_or_default(),
                channel: channel.unwrap_or_default(),
                package: package.unwrap_or_default(),
                bundle: bundle.unwrap_or_default(),
                replaces: number(replaces),
                depth: number(depth).unwrap_or_default(),
            });
        })?;
        let typed = ["type", "value", "operatorbundle_name"];
        let of = |row: Cells| {
            let [kind, value, bundle] = cells(row).map(Option::unwrap_or_default);
            TypedRow { kind, value, bundle }
        };
        let mut properties = Vec::new();
        let has_properties = self.each("properties", false, &typed, |row| properties.push(of(row)))?;
        tables.properties = has_properties.then_some(properties);
        if !has_properties {
            let columns = ["group_name", "version", "kind", "operatorbundle_name", "channel_entry_id"];
            let of = |row: Cells| {
                let [group, version, kind, bundle, entry] = cells(row);
                let [group, version, kind] = [group, version, kind].map(Option::unwrap_or_default);
                ApiRow { group, version, kind, bundle, entry: number(entry) }
            };
            self.each("api_provider", false, &columns, |row| tables.provided.push(of(row)))?;
            self.each("api_requirer", false, &columns, |row| tables.required.push(of(row)))?;
        }
        self.each("dependencies", false, &typed, |row| tables.dependencies.push(of(row)))?;
        self.each("related_image", false, &["image", "operatorbundle_name"], |row| {
            let [image, bundle] = cells(row).map(Option::unwrap_or_default);
            tables.images.push((image, bundle));
        })?;
        Ok(tables)
    }

    /// The columns of a table, in lower case; none where it is not there.
    fn columns(&self, table: &'static str) -> Result<HashSet<String>, IndexFault> {
        // Names are ours, never the database's.
        let mut about = self.database.prepare(&format!("PRAGMA table_info({table})")).map_err(told)?;
        let names = about.query_map([], |row| row.get::<_, String>(1)).map_err(told)?;
        names.map(|name| name.map(|name| name.to_lowercase())).collect::<Result<_, _>>().map_err(told)
    }

    /// Reads some columns of a table in the order of its rows; a column that the index does not have yet is empty. Whether
    /// there is such a table.
    fn each(
        &mut self,
        table: &'static str,
        is_needed: bool,
        wanted: &[&str],
        mut row: impl FnMut(Cells),
    ) -> Result<bool, IndexFault> {
        let known = self.columns(table)?;
        if known.is_empty() {
            return if is_needed { Err(IndexFault::NoTable(table)) } else { Ok(false) };
        }
        let columns: Vec<&str> =
            wanted.iter().map(|name| if known.contains(*name) { *name } else { "NULL" }).collect();
        let question = format!("SELECT {} FROM main.{table} ORDER BY rowid", columns.join(", "));
        let mut statement = self.database.prepare(&question).map_err(told)?;
        let mut rows = statement.query([]).map_err(told)?;
        let mut count = 0;
        while let Some(found) = rows.next().map_err(told)? {
            count += 1;
            let mut read = Vec::with_capacity(wanted.len());
            for at in 0..wanted.len() {
                let cell = text(found.get_ref(at).map_err(told)?);
                let length = cell.as_ref().map_or(0, String::len);
                self.left = self.left.checked_sub(length).ok_or(IndexFault::Unbounded)?;
                read.push(cell);
            }
            if count > ROWS {
                return Err(IndexFault::Unbounded);
            }
            row(read);
        }
        Ok(true)
    }
}

fn number(text: Option<String>) -> Option<i64> {
    text?.parse().ok()
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// The cells of a row; what is missing is empty.
fn cells<const N: usize>(row: Cells) -> [Option<String>; N] {
    let mut row = row.into_iter();
    std::array::from_fn(|_| row.next().flatten())
}
