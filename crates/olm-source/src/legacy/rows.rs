//! Reading of the tables with SQLite. The database is bytes in memory: no file is opened, locked or changed,
//! and no journal is written. Its schema is not trusted, and every query is bounded.

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
    HEADER_BYTES, IndexFault,
    convert::{ApiRow, BundleRow, ChannelRow, EntryRow, PackageRow, Tables, TypedRow},
};

/// Size limit of a text in a row, in bytes; far above what a cluster accepts for a bundle.
const MAX_TEXT_BYTES: i32 = 64 << 20;
/// Number of SQLite virtual machine steps between two progress checks.
const STEPS_PER_CHECK: i32 = 10_000;
/// Maximum number of progress checks for all queries. They allow 500 million steps; an index of 300 MB needs
/// about ten million.
const MAX_CHECKS: u32 = 50_000;
/// Size limit of all texts together, in bytes; more than the largest index ever published.
const MAX_TOTAL_BYTES: usize = 256 << 20;
/// Maximum number of rows of one table.
const MAX_ROWS: usize = 4_000_000;

/// Reads the tables of an index.
pub(super) fn read_tables(
    mut header: [u8; HEADER_BYTES],
    rest: impl Read,
    length: usize,
) -> Result<Tables, IndexFault> {
    // A database in write-ahead mode cannot be opened without its journal, so the copy is switched back. The
    // bytes are the format versions for writing and reading.
    for at in [18, 19] {
        if let Some(byte) = header.get_mut(at) {
            *byte = 1;
        }
    }
    let mut database = Connection::open_in_memory().map_err(database_fault)?;
    database.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES).map_err(database_fault)?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        database.set_db_config(config, on).map_err(database_fault)?;
    }
    // SQLite reads into its own memory, so there is no second copy.
    database
        .deserialize_read_exact("main", Cursor::new(header).chain(rest), length, true)
        .map_err(database_fault)?;
    let exhausted = Arc::new(AtomicBool::new(false));
    let (mut checks, is_over) = (0, Arc::clone(&exhausted));
    let over = move || {
        checks += 1;
        if checks > MAX_CHECKS {
            is_over.store(true, Ordering::Relaxed);
        }
        checks > MAX_CHECKS
    };
    database.progress_handler(STEPS_PER_CHECK, Some(over)).map_err(database_fault)?;
    // Limit for the content of all rows. Pages that a damaged index shares would otherwise count again and
    // again.
    let left = length.saturating_mul(4).saturating_add(1 << 20).min(MAX_TOTAL_BYTES);
    let mut reader = Reader { database: &database, left };
    let tables = reader.read_all();
    if exhausted.load(Ordering::Relaxed) { Err(IndexFault::Unbounded) } else { tables }
}

fn database_fault(error: Error) -> IndexFault {
    let words = match error {
        Error::SqliteFailure(code, words) => words.unwrap_or_else(|| code.to_string()),
        other => other.to_string(),
    };
    IndexFault::Database(words)
}

struct Reader<'d> {
    database: &'d Connection,
    /// Number of bytes that may still be read.
    left: usize,
}

/// Cells of a row.
type Cells = Vec<Option<String>>;

impl Reader<'_> {
    fn read_all(&mut self) -> Result<Tables, IndexFault> {
        let mut tables = Tables::default();
        let columns = self.read_columns("operatorbundle")?;
        tables.has_version = columns.contains("version");
        tables.has_skip_range = columns.contains("skiprange");
        self.for_each_row(
            "operatorbundle",
            true,
            &["name", "csv", "bundle", "bundlepath", "skiprange", "version"],
            |row| {
                let [name, csv, objects, path, skip_range, version] = cells(row);
                tables.bundles.push(BundleRow { name, csv, objects, path, skip_range, version });
            },
        )?;
        self.for_each_row("package", true, &["name", "default_channel"], |row| {
            let [name, default_channel] = cells(row);
            tables.packages.push(PackageRow { name: name.unwrap_or_default(), default_channel });
        })?;
        self.for_each_row("channel", true, &["name", "package_name", "head_operatorbundle_name"], |row| {
            let [name, package, head] = cells(row);
            let (name, package) = (name.unwrap_or_default(), package.unwrap_or_default());
            tables.channels.push(ChannelRow { name, package, head });
        })?;
        let columns =
            ["entry_id", "channel_name", "package_name", "operatorbundle_name", "replaces", "depth"];
        self.for_each_row("channel_entry", true, &columns, |row| {
            let [id, channel, package, bundle, replaces, depth] = cells(row);
            tables.entries.push(EntryRow {
                id: parse_number(id).unwrap_or_default(),
                channel: channel.unwrap_or_default(),
                package: package.unwrap_or_default(),
                bundle: bundle.unwrap_or_default(),
                replaces: parse_number(replaces),
                depth: parse_number(depth).unwrap_or_default(),
            });
        })?;
        let typed = ["type", "value", "operatorbundle_name"];
        let typed_row = |row: Cells| {
            let [kind, value, bundle] = cells(row).map(Option::unwrap_or_default);
            TypedRow { kind, value, bundle }
        };
        let mut properties = Vec::new();
        let has_properties =
            self.for_each_row("properties", false, &typed, |row| properties.push(typed_row(row)))?;
        tables.properties = has_properties.then_some(properties);
        if !has_properties {
            let columns = ["group_name", "version", "kind", "operatorbundle_name", "channel_entry_id"];
            let api_row = |row: Cells| {
                let [group, version, kind, bundle, entry] = cells(row);
                let [group, version, kind] = [group, version, kind].map(Option::unwrap_or_default);
                ApiRow { group, version, kind, bundle, entry: parse_number(entry) }
            };
            self.for_each_row("api_provider", false, &columns, |row| tables.provided.push(api_row(row)))?;
            self.for_each_row("api_requirer", false, &columns, |row| tables.required.push(api_row(row)))?;
        }
        self.for_each_row("dependencies", false, &typed, |row| tables.dependencies.push(typed_row(row)))?;
        self.for_each_row("related_image", false, &["image", "operatorbundle_name"], |row| {
            let [image, bundle] = cells(row).map(Option::unwrap_or_default);
            tables.images.push((image, bundle));
        })?;
        Ok(tables)
    }

    /// Returns the columns of a table in lower case; empty if the table is missing.
    fn read_columns(&self, table: &'static str) -> Result<HashSet<String>, IndexFault> {
        // The name is a constant, never text of the database.
        let mut about =
            self.database.prepare(&format!("PRAGMA table_info({table})")).map_err(database_fault)?;
        let names = about.query_map([], |row| row.get::<_, String>(1)).map_err(database_fault)?;
        names
            .map(|name| name.map(|name| name.to_lowercase()))
            .collect::<Result<_, _>>()
            .map_err(database_fault)
    }

    /// Reads columns of a table in the order of its rows. A column that the index does not have is empty.
    /// Returns false if the table does not exist.
    fn for_each_row(
        &mut self,
        table: &'static str,
        is_needed: bool,
        names: &[&str],
        mut row: impl FnMut(Cells),
    ) -> Result<bool, IndexFault> {
        let known = self.read_columns(table)?;
        if known.is_empty() {
            return if is_needed { Err(IndexFault::NoTable(table)) } else { Ok(false) };
        }
        let columns: Vec<&str> =
            names.iter().map(|name| if known.contains(*name) { *name } else { "NULL" }).collect();
        let question = format!("SELECT {} FROM main.{table} ORDER BY rowid", columns.join(", "));
        let mut statement = self.database.prepare(&question).map_err(database_fault)?;
        let mut rows = statement.query([]).map_err(database_fault)?;
        let mut count = 0;
        while let Some(found) = rows.next().map_err(database_fault)? {
            count += 1;
            let mut read = Vec::with_capacity(names.len());
            for at in 0..names.len() {
                let cell = cell_text(found.get_ref(at).map_err(database_fault)?);
                let length = cell.as_ref().map_or(0, String::len);
                self.left = self.left.checked_sub(length).ok_or(IndexFault::Unbounded)?;
                read.push(cell);
            }
            if count > MAX_ROWS {
                return Err(IndexFault::Unbounded);
            }
            row(read);
        }
        Ok(true)
    }
}

fn parse_number(text: Option<String>) -> Option<i64> {
    text?.parse().ok()
}

fn cell_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// Returns the cells of a row; missing cells are empty.
fn cells<const N: usize>(row: Cells) -> [Option<String>; N] {
    let mut row = row.into_iter();
    std::array::from_fn(|_| row.next().flatten())
}
