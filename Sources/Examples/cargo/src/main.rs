//! An extension with nothing but the standard library: `Runtime` `stdio` makes its standard input and output the connection.
use std::io;

fn main() -> io::Result<()> {
    for line in io::stdin().lines() {
        println!("{}", line?.to_uppercase());
    }
    Ok(())
}
