//! Questions as programs ask them, and as nobody should.

use super::*;

const TEXT: u16 = 16;
const ADDRESS_6: u16 = 28;
const SERVICE: u16 = 65;

/// A question for one name.
pub(in crate::network) fn question(name: &str, kind: u16) -> Vec<u8> {
    let mut query = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.').filter(|label| !label.is_empty()) {
        query.push(u8::try_from(label.len()).unwrap());
        query.extend(label.as_bytes());
    }
    query.push(0);
    query.extend(kind.to_be_bytes());
    query.extend(INTERNET.to_be_bytes());
    query
}

/// What an answer says: its code, and the address in it.
pub(in crate::network) fn said(answer: &[u8]) -> (u8, Option<Ipv4Addr>) {
    assert_eq!(answer[..2], [0xab, 0xcd]);
    assert_eq!(answer[2] & 0x80, 0x80);
    let address = (answer[7] == 1).then(|| {
        let octets: [u8; 4] = answer[answer.len() - 4..].try_into().unwrap();
        Ipv4Addr::from(octets)
    });
    (answer[3] & 0xf, address)
}

const HERE: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);

fn known(query: &[u8]) -> (u8, Option<Ipv4Addr>) {
    said(&answer(query, |_| NameLookup::Address(HERE)).unwrap())
}

#[test]
fn a_name_that_is_known_has_an_address_and_nothing_else() {
    let mut asked = String::new();
    let query = question("Api.Example.com", ADDRESS);
    let answered = answer(&query, |name| {
        asked = name.to_owned();
        NameLookup::Address(HERE)
    });
    assert_eq!((asked.as_str(), said(&answered.unwrap())), ("Api.Example.com", (0, Some(HERE))));
    for kind in [ADDRESS_6, TEXT, SERVICE] {
        assert_eq!(known(&question("a.example.com", kind)), (0, None));
    }
    let unknown = answer(&query, |_| NameLookup::Unknown).unwrap();
    assert_eq!(said(&unknown), (NO_SUCH_NAME, None));
    assert_eq!(said(&answer(&query, |_| NameLookup::Full).unwrap()), (SERVER_FAILURE, None));
}

#[test]
fn what_follows_the_question_is_left_alone() {
    let mut query = question("a.example.com", ADDRESS);
    query[11] = 1;
    query.extend([0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(known(&query), (0, Some(HERE)));
}

#[test]
fn what_makes_no_sense_is_said_to_make_none_and_is_not_looked_up() {
    let never = |_: &str| -> NameLookup { panic!("it was looked up") };
    assert_eq!(answer(&[], never), None);
    assert_eq!(answer(&[0; 11], never), None);
    let mut response = question("a.example.com", ADDRESS);
    response[2] |= 0x80;
    assert_eq!(answer(&response, never), None);
    let mut update = question("a.example.com", ADDRESS);
    update[2] |= 5 << 3;
    assert_eq!(said(&answer(&update, never).unwrap()), (NOT_IMPLEMENTED, None));
    let mut two = question("a.example.com", ADDRESS);
    two[5] = 2;
    let mut pointing = question("a.example.com", ADDRESS);
    pointing[12] = 0xc0;
    let mut dotted = question("axexample.com", ADDRESS);
    dotted[14] = b'.';
    let long = question(&vec!["a".repeat(60); 6].join("."), ADDRESS);
    let whole = question("a.example.com", ADDRESS);
    for bad in
        [two, pointing, dotted, long, whole[..whole.len() - 1].to_vec(), whole[..14].to_vec()]
    {
        assert_eq!(said(&answer(&bad, never).unwrap()), (FORMAT_ERROR, None));
    }
}
