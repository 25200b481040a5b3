//! What the kernel says of one connection, beside what it lists.

use std::net::{TcpListener, TcpStream};

use toolgate_control::current_uid;

use super::super::listed;
use super::*;

#[test]
fn one_connection_has_the_number_that_is_listed() {
    let Some(questions) = ConnectionQuestions::open() else { return };
    for (listen, connect) in
        [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "::1"), ("[::]:0", "127.0.0.1")]
    {
        // Not every machine has both protocols.
        let Ok(listener) = TcpListener::bind(listen) else { continue };
        let port = listener.local_addr().unwrap().port();
        let Ok(client) = TcpStream::connect((connect, port)) else { continue };
        let ends = (client.local_addr().unwrap(), client.peer_addr().unwrap());
        let (served, _) = listener.accept().unwrap();
        let seen = (served.peer_addr().unwrap(), served.local_addr().unwrap());
        for ends in [ends, seen] {
            let number = listed().iter().find_map(|row| row.number_of(&ends, current_uid()));
            assert!(number.is_some(), "{ends:?}");
            // A kernel that takes no such question leaves it to the lists.
            let asked = questions.number_of(&ends, current_uid());
            assert!(asked.is_none() || asked == number, "{ends:?}: {asked:?}, {number:?}");
            assert_eq!(questions.number_of(&ends, current_uid() + 1), None);
        }
    }
}

#[test]
fn a_socket_that_listens_is_no_end_of_a_connection() {
    let Some(questions) = ConnectionQuestions::open() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    assert_eq!(questions.number_of(&(address, nobody), current_uid()), None);
    assert_eq!(questions.number_of(&(nobody, address), current_uid()), None);
}

#[test]
fn what_is_no_answer_says_nothing() {
    let ends = (SocketAddr::from(([127, 0, 0, 1], 1)), SocketAddr::from(([127, 0, 0, 1], 2)));
    let asked = question(&ends).unwrap();
    assert_eq!(read(&asked), None);
    assert_eq!(read(&[]), None);
    assert_eq!(read(&[0; ANSWER]), None);
    let other = (ends.0, SocketAddr::from(([0_u16; 8], 2)));
    assert_eq!(question(&other), None);
}
