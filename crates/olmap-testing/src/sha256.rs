//! SHA-256 (FIPS 180-4) for comparison with recorded digests. No dependency provides it.

/// Returns the fractional parts of the cube roots of the first 64 primes.
fn round_constants() -> [u32; 64] {
    root_fractions(f64::cbrt)
}

/// Returns the first 32 bits of the fractional parts of a root of the first primes. An `f64` is precise enough.
fn root_fractions<const N: usize>(root: fn(f64) -> f64) -> [u32; N] {
    let primes = (2u32..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
    let mut out = [0; N];
    for (slot, prime) in out.iter_mut().zip(primes) {
        *slot = (root(f64::from(prime)).fract() * 4_294_967_296.0) as u32;
    }
    out
}

/// Returns the digest in lower-case hexadecimal.
// Letters as in the standard.
#[allow(clippy::many_single_char_names)]
pub fn hex_digest(data: &[u8]) -> String {
    let constants = round_constants();
    let mut state: [u32; 8] = root_fractions(f64::sqrt);
    let mut padded = data.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(data.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words[i] = words[i - 16].wrapping_add(low).wrapping_add(words[i - 7]).wrapping_add(high);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (constant, word) in constants.iter().zip(words) {
            let choice = (e & f) ^ (!e & g);
            let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let first = h.wrapping_add(sum).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = sum.wrapping_add(majority);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *slot = slot.wrapping_add(value);
        }
    }
    let words: Vec<String> = state.iter().map(|word| format!("{word:08x}")).collect();
    words.concat()
}

#[test]
fn computes_digests_of_standard() {
    assert_eq!(hex_digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hex_digest(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    // Lengths around a block boundary: 63 bytes leave room for the padding mark but not for the length.
    assert_eq!(hex_digest(&[b'a'; 63]), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    assert_eq!(
        hex_digest(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    );
}
