package sqlite

// OpenWith is Open with another driver.
var OpenWith = open
