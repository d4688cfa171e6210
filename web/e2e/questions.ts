// Plain questions to the library of the footnote tests, as people ask them; the
// built-in reader answers them by quoting.

export const readerQuestions = [
  "How much is the monthly rent of the workshop?",
  "Which machines need the written consent of the landlord?",
  "When does the lease begin and how long does it run?",
  "How is the lease extended?",
  "What is the deposit?",
  "When may the landlord raise the rent?",
  "How many days of paid holiday does an employee have?",
  "When do holidays lapse?",
  "When is the emergency shower tested?",
  "What is the daily allowance for travel abroad?",
  "When must receipts be handed in?",
  "What was the median drift of the oscillators?",
  "How large was the largest excursion?",
  "Which readings were discarded?",
  "How quickly did oscillators in ceramic packages recover?",
  "Where does the annual meeting of the mirror makers take place?",
  "How long do aluminium coatings last?",
  "How are old coatings removed?",
  "At which temperature were samples 7 to 12 baked?",
  "What was pressed on with a roller in the adhesion test?",
  "Which samples showed a blister?",
  "How long did the power cut in the climate chamber last?",
  "What is the fee for the berth of the research boat?",
  "Where may fuel be taken on?",
  "When does the late shift in hall 2 begin?",
  "By how much does the price of a meal rise?",
  "By how much did the noise in the grinding room fall?",
  "What does Lumen 110 cost?",
  "How long is the delivery time of the supplier of eyepieces?",
  "How much does marketing need for the fair in Utrecht?",
  "Which coating does the Cylinder Luleå have?",
  "Which supplier is closed throughout July?",
  "How long does the eye need to get used to the dark?",
  "How is magnification found?",
  "Which craters are within reach of a mirror of 80 millimetres?",
  "When did Galileo notice the phases of Venus?",
  "How long does the warranty of Lumen 80 last?",
  "How is dust blown away from the mirror?",
  "After how many minutes does the slurry separate?",
  "How long does the spare laser need until its wavelength is stable?",
  "How much does the crate weigh?",
  "What should one do if the shock indicator is red?",
  "What does the attached packing note say about prism 6?",
  "What did Noor van Dijk complain about?",
  "Why was the focuser of R-108 complained about?",
  "When is the slit of the dome closed?",
  "How much did the box at the gate hold last year?",
] as const;

export const databaseQuestions = ["How many stations are there in Porto?", "What is the highest reading of a hygrometer?", "Which stations are in Inverness?"] as const;

/** Questions of a model to the database, and the rows of the answers. */
export const tables = [
  {
    sql: "SELECT station, city, reading FROM measurements WHERE instrument = 'barometer' ORDER BY station",
    rows: [
      ["Alva", "Östersund", "1007"],
      ["Brisk", "Porto", "1013"],
      ["Cairn", "Inverness", "989"],
    ],
  },
  {
    sql: "SELECT city, COUNT(*) AS stations, inspector FROM measurements GROUP BY city, inspector ORDER BY city",
    rows: [
      ["Inverness", "2", "Isla Munro"],
      ["Kraków", "1", "Ewa Wójcik"],
      ["Porto", "2", "Rui Teixeira"],
      ["Tromsø", "1", "Aili Sara"],
      ["Östersund", "2", "Greta Holm"],
    ],
  },
];

/** Of the files that come with a question, for each in turn. */
export const attachedQuestions = [
  ["How many tiles does the firm Tegel och Trä replace, according to the attached letter?", "When does nobody work, according to the attached letter?"],
  ["How much electricity did the coating hall consume last year, according to the attached report?", "Where does most of the saving come from, according to the attached report?"],
] as const;
