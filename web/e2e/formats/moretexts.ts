// More of what the documents of the footnote tests say (see texts.ts): those that
// have no fixed pages.

import { read } from "./prose";

export const minutes = read(`
# Minutes of the works council, 14 November
## Attendance
Present were Beatriz Núñez, Håkan Sjöström, Ffion Pritchard and Dr. Emeka Okonkwo.
Håkan Sjöström took the minutes.
The meeting began at 9:05 and ended at 11:40.
## Canteen
From January the canteen offers a second warm meal without meat.
The price of a meal rises from 5.20 to 5.60 euros for employees and from 8.40 to 9.10 euros for guests.
Ffion Pritchard asks for longer opening hours on Fridays, which the caterer will examine until the next meeting.
The decision was unanimous.
## Shift plan
The late shift in hall 2 begins at 13:30 from the first of February.
The late shift in hall 3 begins at 14:15 from the first of February.
Employees with small children may choose the early shift for up to eighteen months, provided that they apply before the plan for the quarter is published.
Three employees object to the new plan, and the management will speak with each of them before Christmas.
The decision was unanimous.
- Swapping shifts needs the consent of both team leads.
- Swaps are entered in the red book by noon.
- Nobody works more than six nights in a row.
## Costs
| Item | Budget | Spent |
| Rest room lamps | 1,800 euros | 1,745 euros |
| Ergonomic chairs | 6,400 euros | 7,020 euros |
| Language courses | 3,300 euros | 2,150 euros |
## Any other business
The company bicycle scheme is extended to trainees.
Dr. Emeka Okonkwo reports that the noise in the grinding room fell from 84 to 79 decibels after the new covers were fitted.
The next meeting is on 12 December in room Ångström.
`);

export const slides = read(`
# Roadmap of the Lumen telescope
## Where we stand
Lumen has been sold 1,260 times since its launch in spring.
Customers in Norway and Finland return fewer than two instruments in a hundred.
The tripod is the part that customers complain about most.
Revenue from accessories grew faster than revenue from telescopes.
## Next year
- Lumen 80 gets a mirror of 80 millimetres and costs 349 euros.
- Lumen 110 gets a mirror of 110 millimetres and costs 529 euros.
- The carbon tripod replaces the aluminium one in September.
- A red lamp for reading star charts is included with every instrument.
## Risks
The only supplier of our eyepieces, Kärntner Feinoptik, has raised its delivery time to twenty-two weeks.
A second supplier in Porto is being audited and could deliver from August onwards.
If the euro falls below 11 kronor, the margin of the smaller model vanishes.
## Decisions needed
The board decides by 30 April whether the app is developed in house or bought.
Marketing needs 140,000 euros for the fair in Utrecht.
We propose to stop the production of the brass edition.
`);

/** Sheets of rows: each section is a sheet. */
export const stock = read(`
# Stock of the warehouse
## Lenses
| Article | Diameter | Coating | In stock | Shelf |
| Achromat Borg | 25 mm | magnesium fluoride | 410 pieces | rack 1, tray 4 |
| Achromat Visby | 40 mm | magnesium fluoride | 395 pieces | rack 1, tray 5 |
| Meniscus Älvdalen | 40 mm | none | 72 pieces | rack 2, tray 1 |
| Plano-convex Tromsø | 60 mm | broadband | 18 pieces | rack 2, tray 9 |
| Cylinder Luleå | 12 mm | broadband | 1,204 pieces | drawer 31 |
## Suppliers
| Supplier | Country | Delivers | Terms | Remark |
| Kärntner Feinoptik | Austria | eyepieces | 30 days net | only by rail since the bridge was closed |
| Vidraria Ribeiro | Portugal | blanks of crown glass | 14 days net | samples passed the audit in May |
| Šumava Sklo | Czechia | blanks of flint glass | 45 days net | minimum order of 200 kilograms |
| Polsk Brask | Denmark | polishing pads | cash | closed throughout July |
## Notes
| Date | Who | What was noted |
| 2 March | Ingrid | Tray 4 was counted twice and eleven pieces were written off. |
| 19 March | Tomasz | The humidity logger in rack 2 needs a new battery. |
| 7 April | Ingrid | Tray 5 was counted twice and three pieces were written off. |
| 22 May | Yusuf | Drawer 31 jams when it is pulled out further than half. |
`);

export const course = read(`
# A short course in observing
## The dark
The eye needs half an hour to get used to the dark, and one glance at a white lamp undoes it.
A red lamp of low brightness does little harm.
Choose a place from which no street lamp can be seen directly, even if the sky above it is not perfectly dark.
The Milky Way is the best gauge: where it casts a shadow, the sky is excellent.
Drink something warm.
## The instrument
Let the telescope cool for twenty minutes before you judge its image.
A mirror that was kept indoors bends the light of every star into a restless blur until it is as cold as the air.
Small instruments with a long focal length are easier to use than large ones with a short focal length.
Magnification is found by dividing the focal length of the objective by that of the eyepiece.
More than twice the diameter in millimetres is empty magnification.
## The Moon
The Moon is most rewarding along the line between day and night, where even low hills throw long shadows.
Craters of five kilometres are within reach of a mirror of 80 millimetres.
Craters of three kilometres are within reach of a mirror of 110 millimetres.
At full Moon there are no shadows, and the landscape looks flat.
Drink something warm.
## The planets
Jupiter shows two dark belts and four moons whose places change from hour to hour.
Saturn's ring can be seen from thirty-fold magnification on, and in 2025 it was turned edge-on towards us.
Mars is disappointing for most of the time, because it comes close only every twenty-six months.
Venus displays phases like those of the Moon, as Galileo noticed in 1610.
Observers who draw see more than observers who only look, since the pencil asks questions that the eye would have passed over.
`);

export const product = read(`
# Lumen 80: facts and care
## Facts
The mirror has a diameter of 80 millimetres and a focal length of 640 millimetres.
The tube weighs 2.3 kilograms, the tripod another 1.9 kilograms.
Lumen 80 carries 15-fold and 150-fold eyepieces in its lid.
It may be used at temperatures between −25 °C and +40 °C.
The warranty lasts five years from the day of purchase, and seven years for instruments that were registered online.
| Model | Mirror | Price | Weight |
| Lumen 60 | 60 mm | €249 | 3.1 kg |
| Lumen 80 | 80 mm | €349 | 4.2 kg |
| Lumen 110 | 110 mm | €529 | 6.8 kg |
## Care
Never touch the mirror with your fingers.
Dust is blown away with a rubber bulb; breath and compressed air leave droplets that etch the coating.
If a fingerprint must be removed, rinse the mirror with distilled water at 20 °C and let it dry standing on its edge.
Never use household cleaners.
- Store the tube with its cap on.
- Take the batteries out of the finder in winter.
- Grease the focuser once every three years.
## Frequent questions
Pictures in the finder are upside down, as in every astronomical instrument.
Looking at the Sun without the filter, even for a fraction of a second, destroys the retina.
Spare parts can be ordered for ten years after a model has been discontinued.
Customers from Zürich to 札幌 use the same manual, which exists in 14 languages.
Never touch the mirror with your fingers.
`);

export const notes = read(`
# Laboratory notes of Zoë Brontë
## Polishing compound
Mixed 300 grams of cerium oxide with 2 litres of water; the slurry separates after forty minutes.
With 350 grams the slurry separates after fifty-five minutes.
A drop of washing-up liquid keeps it from clumping – naïve, but it works.
The pH stayed between 6.8 and 7.1.
## Interferometer
Fringes drift by a third of their spacing when someone walks through the corridor.
Moving the bench onto the slab by the window cured this.
The laser needs 25 minutes until its wavelength is stable to one part in ten million.
The spare laser needs 70 minutes until its wavelength is stable to one part in ten million.
- Cover the beam before opening the hood.
- Write the room temperature on every print.
- 測定 means measurement, as Kenji taught me.
## Ideas
A thinner lap might follow the curve of the aspheric mirror better than the present one does.
Ask Professor Weißmüller whether the old Hartmann mask from 1974 still exists.
Perhaps the blisters come from salt and not from water: 🔬 to be checked with a conductivity meter on Tuesday.
| Lap | Pressure | Removal |
| pitch, soft | 20 kPa | 0.9 µm per hour |
| pitch, hard | 20 kPa | 1.4 µm per hour |
| felt | 35 kPa | 3.2 µm per hour |
`);

export const mail = read(`
# Shipment to Reykjavík
## Letter
Dear Mrs Þórsdóttir, thank you for your patience during the past weeks.
Your order of nine prisms left our warehouse on 3 September with the carrier Nordfrakt.
The crate weighs 46 kilograms and must be kept upright.
The invoice of 12,480 euros is payable within thirty days, and a discount of two per cent is granted for payment within ten.
Customs in Iceland ask for the certificate of origin, which you find attached in two copies.
If the shock indicator on the lid is red, please refuse the delivery and call us at once.
Our technician Matthías Ægisson can align the prisms in the week of 22 September.
Travel and lodging are included in the price that we agreed upon in June.
Should you prefer another date, two days' notice is enough.
The old prisms may be sent back free of charge.
`);

export const plain = read(`
# Rules of the observatory garden
## Opening
The garden is open from sunset until one o'clock at night, except in June.
Groups of more than fifteen people register a week ahead with Mr Dvořák.
Dogs stay outside.
The gate code changes on the first day of every month.
## The dome
Only guides may turn the dome.
The slit is closed as soon as the wind exceeds 12 metres per second.
The slit is opened again when the wind has stayed below 9 metres per second for a quarter of an hour.
The telescope in the dome, a refractor from 1896 with an aperture of 22 centimetres, is older than the house around it.
Visitors climb the ladder one at a time and keep their hands off the focuser.
## Donations
Entry is free, and the box at the gate pays for electricity and paint.
Last year it held 2,764 euros and forty-one foreign coins.
A new coat of paint for the dome costs about 9,000 euros.
Whoever gives more than 500 euros may name one of the benches.
`);

/** Records, one a line, of which sentences are cells. */
export const complaints = read(`
# complaints
## complaints
| Number | Customer | Instrument | Complaint | Outcome |
| R-101 | Eszter Kovács | Lumen 80 | The left leg of the tripod does not lock. | tripod replaced |
| R-102 | Pádraig Byrne | Lumen 80 | The finder arrived without its batteries. | batteries sent |
| R-103 | Noor van Dijk | Lumen 110 | A hair lies between the lenses of the eyepiece. | eyepiece cleaned |
| R-104 | Søren Østergaard | Lumen 60 | The right leg of the tripod does not lock. | tripod replaced |
| R-105 | Zdeněk Říha | Lumen 110 | The manual was in Portuguese. | manual exchanged |
| R-106 | Amélie Dubois | Lumen 60 | Stars look like small triangles at 150-fold magnification. | mirror cell loosened |
| R-107 | Kofi Mensah | Lumen 80 | The tube had a dent when the parcel was opened. | money refunded |
| R-108 | Lars-Erik Nyström | Lumen 110 | The focuser slips as soon as a camera is attached. | brake adjusted |
`);

/** A table that is asked in SQL. */
export const measurements = read(`
# measurements
## measurements
| station | city | instrument | reading | inspector |
| Alva | Östersund | barometer | 1007 | Greta Holm |
| Brisk | Porto | barometer | 1013 | Rui Teixeira |
| Cairn | Inverness | barometer | 989 | Isla Munro |
| Delve | Porto | hygrometer | 71 | Rui Teixeira |
| Eider | Östersund | hygrometer | 58 | Greta Holm |
| Fjell | Tromsø | thermometer | -14 | Aili Sara |
| Grotto | Kraków | thermometer | 9 | Ewa Wójcik |
| Haven | Inverness | hygrometer | 83 | Isla Munro |
`);

/** Comes with a question and stands in no library. */
export const attachedLetter = read(`
# Letter to the neighbours
## Scaffolding
From 6 to 24 May a scaffold stands in front of the house at Kungsgatan 9.
The firm Tegel och Trä repairs the roof and replaces 340 tiles.
Windows towards the street should stay closed while the façade is sandblasted.
Work begins at seven in the morning and ends at four in the afternoon.
On Ascension Day nobody works.
Bicycles that are still in the passage on 5 May are moved to the yard.
Questions are answered by Mrs Åkerlund, whose number hangs at the door.
The noise will be worst on the first three days.
`);

export const attachedReport = read(`
# Energy report of the coating hall
## Consumption
The coating hall consumed 218 megawatt hours of electricity last year.
In the year before it had consumed 241 megawatt hours of electricity.
Most of the saving comes from the new vacuum pump, which stands still when no chamber is evacuated.
Waste heat now warms the changing rooms.
## Proposals
Insulating the liquid nitrogen line would save another 6 megawatt hours a year.
The insulation pays for itself within fourteen months.
LED lamps in the corridor have already been ordered from Ljusbolaget.
`);
