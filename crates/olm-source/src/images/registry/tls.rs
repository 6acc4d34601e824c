//! TLS configuration of a host.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

use super::machine::MachinePaths;
use crate::images::error::ImageError;
use olm_catalog::load::regular_file;

/// Size limit of a certificate file, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Use of the user's client certificate for a host, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnCertificate {
    /// Present it to the host.
    Presented,
    /// Withhold it from any other host.
    Withheld,
}

/// Returns the TLS configuration of a host. It trusts the authorities of the system (or of
/// `SSL_CERT_FILE`) and of `certs.d/HOST`.
///
/// # Errors
///
/// If a certificate in that folder is unreadable.
pub fn tls_config(
    machine: &MachinePaths,
    host: &str,
    verifies: bool,
    own: OwnCertificate,
) -> Result<TlsConfig, ImageError> {
    let mut builder = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .disable_verification(!verifies);
    let folder = machine.certificates.iter().map(|folder| folder.join(host)).find(|folder| folder.is_dir());
    let files = folder.map(sorted_files).unwrap_or_default();
    if verifies {
        let system = rustls_native_certs::load_native_certs().certs;
        let mut roots: Vec<_> = system.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
        for path in files.iter().filter(|path| has_extension(path, "crt")) {
            roots.extend(parse_certificates(path)?);
        }
        builder = builder.root_certs(RootCerts::new_with_certs(&roots));
    }
    let own = files.iter().find(|path| has_extension(path, "cert") && own == OwnCertificate::Presented);
    if let Some(path) = own {
        let key = path.with_extension("key");
        let text = read_certificate_file(&key)?;
        let key =
            PrivateKey::from_pem(&text).map_err(|_| certificate_error(&key, "it holds no private key"))?;
        builder = builder.client_cert(Some(ClientCert::new_with_certs(&parse_certificates(path)?, key)));
    }
    Ok(builder.build())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

fn sorted_files(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn parse_certificates(path: &Path) -> Result<Vec<Certificate<'static>>, ImageError> {
    let text = read_certificate_file(path)?;
    let mut found = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(one) =
            item.map_err(|_| certificate_error(path, "it is not a certificate"))?
        {
            found.push(one);
        }
    }
    if found.is_empty() { Err(certificate_error(path, "it holds no certificate")) } else { Ok(found) }
}

fn read_certificate_file(path: &Path) -> Result<Vec<u8>, ImageError> {
    regular_file::read_regular(path, MAX_FILE_BYTES)
        .map_err(|source| ImageError::File { path: path.to_owned(), source })
}

fn certificate_error(path: &Path, why: &str) -> ImageError {
    ImageError::Configuration { path: path.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_of_the_user_is_withheld_from_other_hosts() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("registry.example");
        fs::create_dir(&at).unwrap();
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new(Vec::new()).unwrap().self_signed(&key).unwrap();
        fs::write(at.join("client.cert"), certificate.pem()).unwrap();
        fs::write(at.join("client.key"), key.serialize_pem()).unwrap();
        fs::write(at.join("authority.crt"), certificate.pem()).unwrap();
        let machine =
            MachinePaths { certificates: vec![folder.path().to_owned()], ..MachinePaths::default() };
        let shows = |host: &str, own| tls_config(&machine, host, true, own).unwrap().client_cert().is_some();
        assert!(shows("registry.example", OwnCertificate::Presented));
        assert!(!shows("registry.example", OwnCertificate::Withheld));
        assert!(!shows("other.example", OwnCertificate::Presented));
    }
}
