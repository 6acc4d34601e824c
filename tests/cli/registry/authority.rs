//! Test certificate authority, and a certificate for the loopback address.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// Certificate with its key and the certificate of its authority, as PEM.
pub struct Certified {
    pub authority: String,
    pub certificate: String,
    pub key: String,
}

/// Creates an authority and issues a certificate.
pub fn issue_certificate() -> Certified {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(DnType::CommonName, "olmap test authority");
    let key = KeyPair::generate().unwrap();
    let text = authority.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(authority, key);
    let own = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    let certificate = server.signed_by(&own, &issuer).unwrap().pem();
    Certified { authority: text, certificate, key: own.serialize_pem() }
}
