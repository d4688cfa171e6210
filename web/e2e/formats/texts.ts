// What the documents of the footnote tests say: papers of a maker of optical
// instruments that does not exist, written for these tests. Sentences of 4 to 40
// words, with figures, names, dates and umlauts; some differ in one figure alone,
// and some stand twice in one document.

import { read } from "./prose";

/** Long enough for three pages, so that a paragraph goes over the end of a page. */
export const lease = read(`
# Lease of the Lindqvist workshop
## Premises
The landlord lets to the tenant the workshop on the ground floor of Fabrikgatan 14 in Sundsvall, with a floor area of 412 square metres.
The yard behind the building may be used for deliveries between 6 a.m. and 8 p.m. on working days.
Parking spaces 3, 4 and 7 belong to the premises.
The cellar is not part of the lease.

The tenant has inspected the premises on 11 March 2021 and takes them over as they stand.
A record of that inspection, signed by Märta Lindqvist and Jürgen Öhlschläger, is attached as annex A.
## Rent and deposit
The monthly rent amounts to 38,500 kronor and is due on the third working day of each month.
The monthly charge for heating amounts to 4,200 kronor and is settled once a year against the meters.
The monthly charge for water amounts to 1,150 kronor and is settled once a year against the meters.
The deposit equals three months of rent and is held in a blocked account at Handelsbanken.
Interest on the deposit belongs to the tenant.

Rent that is more than ten days late bears interest at eight per cent above the reference rate of the central bank.
The landlord may raise the rent once a year, at the earliest on 1 July, by no more than the rise of the consumer price index over the twelve months that ended in the preceding March.
Notice of any such change must be given in writing.
## Use and alterations
The premises may be used for grinding, polishing and coating lenses, and for offices that serve this purpose.
Machines that weigh more than 900 kilograms need the written consent of the landlord, because the floor of the northern hall rests on timber beams from 1908.
Machines that weigh more than 2,500 kilograms may not be set up at all.
The tenant may install a vacuum chamber, provided that the exhaust leads through the existing chimney and that the fire brigade has approved the work beforehand.
Alterations that touch bearing walls are forbidden.
Notice of any such change must be given in writing.
## Term and termination
The lease begins on 1 May 2021 and runs for six years.
It is extended by two years at a time unless one of the parties gives notice nine months before the end.
The landlord may terminate without notice if the tenant is two months in arrears, or uses the premises for another purpose in spite of a warning.
On the last day the premises are handed back swept, with all keys, and with the holes of removed machines filled with concrete.
`);

export const handbook = read(`
# Employee handbook of Norrland Optik
## Working hours
The working week has 38.5 hours, which everyone spreads over Monday to Friday as the team agrees.
Between 10 a.m. and 2 p.m. everyone is reachable.
Overtime is compensated by free time within three months, and only paid out when the works council has agreed.
Night work in the coating hall begins at 22:00 and ends at 5:30.
## Holidays
Every employee has 29 days of paid holiday a year.
Employees who are older than 55 have 33 days of paid holiday a year.
Holidays that were not taken by 31 March of the following year lapse, unless illness prevented them.
Requests are sent to the team lead at least four weeks ahead.
Between Christmas and Epiphany the plant is closed.
## Safety
Report every accident on the same day.
In the polishing room safety glasses are worn at all times, also by visitors and also when no machine is running.
The emergency shower next to bench 12 is tested on the first Monday of every month by Siobhán Müller.
Cerium oxide is stored in the blue cabinets and never in the corridor.
- Fire extinguishers hang at every second column.
- Assembly point B lies behind the bicycle shed.
- Two first-aiders per shift wear a green band.
## Travel
For journeys of less than 400 kilometres the train is taken.
The daily allowance is 32 euros in Sweden and 41 euros abroad.
Receipts are handed in within fourteen days, or the expense is not refunded.
Whoever travels with instruments worth more than 20,000 euros informs the insurer, Bältespännare Försäkring, two days in advance.
Report every accident on the same day.
`);

export const paper = read(`
# Drift of quartz oscillators in cold rooms
## Abstract
We measured the frequency of forty-eight quartz oscillators over nineteen months in an unheated storage room near Östersund.
The median drift was 0.8 parts per million, which is less than a third of what the manufacturer specifies.
Temperature explained most of the variation, whereas humidity explained hardly any of it.
## Method
Each oscillator was compared with a rubidium reference once every six hours, and the readings were transmitted over a wired connection.
The reference itself was calibrated against satellite signals in January, May and September.
Batch K consisted of 16 oscillators with a nominal frequency of 10 megahertz.
Batch L consisted of 16 oscillators with a nominal frequency of 20 megahertz.
Batch M consisted of 16 oscillators with a nominal frequency of 32 megahertz.
Readings that were taken within an hour of opening the door were discarded, because the temperature gradient was then larger than two kelvin per metre.
## Results
The largest excursion, 3.4 parts per million, occurred during the night of 17 February, when the thermometer fell to minus 31 degrees.
Oscillators in ceramic packages recovered within four hours.
Oscillators in metal packages recovered within eleven hours.
No oscillator failed.
After correction for temperature the remaining drift was indistinguishable from the noise of the instrumentation.
## Discussion
Our measurements contradict the widespread recommendation that precision oscillators must be kept in heated enclosures at all times.
A simple polynomial correction, fitted during a single winter, removed ninety-two per cent of the deviation.
The correction should nevertheless be redetermined whenever a battery is replaced, since the supply voltage influences the crystal.
Whether the same holds for oscillators with a lower consumption remains an open question for further investigations.
`);

export const bulletin = read(`
# Bulletin of the Mirror Makers Association
## From the board
The annual meeting takes place in Jönköping on the second weekend of October, and for the first time guests are invited to the discussion.
Membership fees stay at 85 euros for individuals and rise to 240 euros for companies.
Treasurer Agnès Lefèvre reports a surplus of 3,117 euros for the past year.
The library of the association has moved to the old customs house and is open on Thursdays.
## Workshop report
Eleven participants ground a parabolic mirror of 30 centimetres within one week.
Coarse grinding with carborundum took two days, fine grinding took three, and on the last two days everyone polished with pitch.
The best surface deviated from the ideal parabola by less than one eighth of a wavelength.
The worst surface deviated from the ideal parabola by more than two wavelengths, because its pitch had been too soft.
Nobody was injured.
Participants praised the temperature-controlled testing tunnel above everything else.
## Technical corner
Pitch for polishing is tested with the thumbnail: if it takes an impression after ten seconds of firm pressure, it is soft enough for glass of medium hardness.
In summer a higher proportion of colophony keeps the lap from flowing.
Interferometric measurements should be repeated after rotating the mirror by ninety degrees, so that astigmatism of the support can be distinguished from astigmatism of the glass.
Aluminium coatings last about seven years in coastal regions and about fifteen years inland.
Silver coatings reflect more light in the infrared, but tarnish within eighteen months unless they are protected.
Old coatings are removed with ferric chloride, under an extractor and with gloves.
`);

/** A wide landscape report: its pages are stored turned. */
export const labReport = read(`
# Test report 2207 on coating adhesion
## Samples
Twelve samples of borosilicate glass were coated with 140 nanometres of magnesium fluoride on 9 June.
Samples 1 to 6 were baked at 280 degrees for two hours.
Samples 7 to 12 were baked at 310 degrees for two hours.
Before the test all samples rested for three days under a dust cover.
## Procedure
A strip of adhesive tape was pressed on with a roller of five kilograms and pulled off at a right angle within one second.
The test was repeated five times at each of four places.
Between repetitions the surface was cleaned with isopropanol.
The inspector, Dr. Anneliese Groß, did not know which sample had been baked at which temperature.
## Findings
None of the samples baked at 310 degrees showed any loss of coating.
Two of the samples baked at 280 degrees lost coating along the edge, over a width of at most 0.6 millimetres.
Under the microscope the edges of samples 2 and 5 look frayed, as if the glass had been greasy there.
The hardness of the coating did not depend on the temperature.
## Recommendation
We recommend baking at 310 degrees and washing the edges with ammonia beforehand.
The test should be repeated after storage for six weeks at 85 per cent humidity.
A release for series production can be given before that.
`);

/** Tables and long lines that are set sideways on an upright page. */
export const sideways = read(`
# Annex to test report 2207
## Climate chamber
The climate chamber ran from 20 June until 1 August without interruption.
Humidity was held at 85 per cent, with deviations of at most two per cent.
A power cut on 4 July lasted nine minutes and was bridged by the batteries.
The door was opened four times for inspections.
## Later findings
After six weeks all samples baked at 310 degrees were still free of damage.
Sample 3 showed a blister of 0.2 millimetres in its lower left corner.
Sample 5 showed a blister of 0.9 millimetres in its lower left corner.
The blisters are attributed to salt from fingerprints.
`);

/** Read from a picture: plain letters, so that nothing is misread. */
export const scan = read(`
# Letter of the harbour office
## Berth of the research boat
The harbour office grants the research boat Aurelia a berth at the eastern pier from April until October.
The fee for the season is 960 euros and includes water but not electricity.
Electricity is charged at the end of the season by the meter on post 21.
The boat must leave the berth within two hours when the rescue service needs it.
Fuel may only be taken on at the western pier.
## Duties
The owner keeps a watch on the ropes whenever a storm warning is issued.
Waste oil is handed to the harbour master on Wednesday mornings.
Visitors of the boat may park behind the smokehouse for up to three hours.
Music is turned off at ten in the evening.
The owner is liable for all damage that the boat does to the pier.
`);

export const mailNote = read(`
# Packing note
## Contents
The crate holds nine prisms, wrapped singly in tissue.
Prism 6 has a scratch that was there before shipping.
The crate is returned empty to dock 5.
`);
