package main

import (
	"flag"
)

var update = flag.Bool("update", false, "write the golden files anew")

const leasePage = `<html><body><h1>Lease of the mill</h1><p>The mill lies by the river.</p>
<p>The rent of the mill is 1,250 euros a month.</p><p>Notice must be given 90 days ahead.</p></body></html>`

const letter = `Dear Ms Okafor,

thank you for your letter of 3 March. The deposit of 2,400 euros is returned within 30 days after the keys are handed over.

The final reading of the electricity meter takes place on 28 April.
`

// rentalHandbook is a document of the library that a question about the letter is
// easily answered from by mistake.
const rentalHandbook = "# Rental handbook\n\nThe deposit is returned within 90 days in most cases. A deposit may be three months of rent.\n"
