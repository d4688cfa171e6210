package ibid

// Principal is somebody that things belong to and that may see things, by id. The
// zero Principal is nobody.
type Principal string

// Owner is the one principal there is until there are accounts: whoever runs ibid.
const Owner Principal = "owner"
