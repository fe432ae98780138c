/** What customers write with ranges of years, with a "not", and of several vehicles, as phrasings.ts has the rest. */
const table = (rows: string): Array<[phrase: string, expected: string]> => rows.trim().split('\n').map((row) => row.split(' | ') as [string, string])

/** Every year of a range that a target has. */
export const ranges = table(`
F-150 2018-2020 | ?year 2018, 2019, 2020
f150 2018 - 2020 | ?year 2018, 2019, 2020
2018–2020 ford f-150 | ?year 2018, 2019, 2020
ford f-150 (2018—2020) | ?year 2018, 2019, 2020
f-150 2018 to 2020 | ?year 2018, 2019, 2020
f-150, 2018 through 2020 | ?year 2018, 2019, 2020
f 150 from 2018 to 2020 | ?year 2018, 2019, 2020
f-150 between 2018 and 2020 | ?year 2018, 2019, 2020
f-150 2020-2018 | ?year 2018, 2019, 2020
f-150 '18-'20 | ?year 2018, 2019, 2020
‘18–’20 f-150 | ?year 2018, 2019, 2020
f-150 18-20 | ?year 2018, 2019, 2020
f-150 '18 to '20 | ?year 2018, 2019, 2020
f-150 2018-20 | ?year 2018, 2019, 2020
f-150 '98-2000 | ?year 1998, 1999, 2000
f-150 '98-'00 | ?year 1998, 1999, 2000
2018 or 2020-2021 civic | ?year 2018, 2020, 2021
2015-2016 and 2018-2019 civic | ?year 2015, 2016, 2018, 2019
civic since 2022 | ?year 2022, 2023, 2024
civic since '22 | ?year 2022, 2023, 2024
civic since model year 2022 | ?year 2022, 2023, 2024
civic 2022 onwards | ?year 2022, 2023, 2024
civic from 2022 on | ?year 2022, 2023, 2024
civic from 2022 onwards | ?year 2022, 2023, 2024
civic 2022 and newer | ?year 2022, 2023, 2024
civic 2022 or later | ?year 2022, 2023, 2024
civic 2022 and up | ?year 2022, 2023, 2024
civic 2022+ | ?year 2022, 2023, 2024
2022+ civic | ?year 2022, 2023, 2024
civic 2022-present | ?year 2022, 2023, 2024
civic after 2022 | ?year 2023, 2024
civic since 2024 | Honda Civic 2024
civic from 2022 | Honda Civic 2022
civic up to 1997 | ?year 1995, 1996, 1997
civic until 1997 | ?year 1995, 1996, 1997
civic 1997 and older | ?year 1995, 1996, 1997
civic before 1997 | ?year 1995, 1996
civic 2018 bis 2020 | ?year 2018, 2019, 2020
civic von 2018 bis 2020 | ?year 2018, 2019, 2020
civic zwischen 2018 und 2020 | ?year 2018, 2019, 2020
civic ab 2022 | ?year 2022, 2023, 2024
civic ab Baujahr 2022 | ?year 2022, 2023, 2024
civic ab Bj. 2022 | ?year 2022, 2023, 2024
mein civic seit 2022 | ?year 2022, 2023, 2024
civic 2022 oder später | ?year 2022, 2023, 2024
civic bis 1997 | ?year 1995, 1996, 1997
civic 1997 und älter | ?year 1995, 1996, 1997
civic de 2018 à 2020 | ?year 2018, 2019, 2020
civic entre 2018 et 2020 | ?year 2018, 2019, 2020
civic depuis 2022 | ?year 2022, 2023, 2024
civic à partir de 2022 | ?year 2022, 2023, 2024
civic jusqu'en 1997 | ?year 1995, 1996, 1997
civic jusqu’en 1997 | ?year 1995, 1996, 1997
civic 2018 a 2020 | ?year 2018, 2019, 2020
civic de 2018 a 2020 | ?year 2018, 2019, 2020
civic del 2018 al 2020 | ?year 2018, 2019, 2020
civic desde 2022 | ?year 2022, 2023, 2024
civic desde el año 2022 | ?year 2022, 2023, 2024
civic desde 2018 hasta 2020 | ?year 2018, 2019, 2020
civic entre 2018 y 2020 | ?year 2018, 2019, 2020
civic hasta 1997 | ?year 1995, 1996, 1997
civic 2022 en adelante | ?year 2022, 2023, 2024
2018-2020 | ?make
honda since 2018 | ?model
civic 1960-1970 | ?year
civic 2019 10-15 dollars | Honda Civic 2019
civic 2019-honda | Honda Civic 2019
rx 350 2018-2020 | ?year 2018, 2019, 2020
`)

/** A value that is named after a "not" is none. */
export const negations = table(`
not a civic, an accord 2019 | Honda Accord 2019
not a civic but an accord 2019 | Honda Accord 2019
it's not a civic it's a 2019 accord | Honda Accord 2019
it is not the civic, it is the 2019 accord | Honda Accord 2019
not a honda civic, a toyota corolla 2019 | Toyota Corolla 2019
not a 2018 honda civic but a 2019 honda accord | Honda Accord 2019
not a 2018 civic, a 2019 civic | Honda Civic 2019
2019 not 2018 civic | Honda Civic 2019
2019 civic, not 2018 | Honda Civic 2019
2019 accord not civic | Honda Accord 2019
I don't have a civic, I have a 2019 accord | Honda Accord 2019
i dont drive a civic or a fit but a 2019 accord | Honda Accord 2019
I have neither a civic nor a fit, mine is a 2019 accord | Honda Accord 2019
my 2019 accord isn't a civic | Honda Accord 2019
it isn’t a civic. accord 2019 | Honda Accord 2019
2019 accord instead of a civic | Honda Accord 2019
2019 accord instead of civic | Honda Accord 2019
no civic, accord 2019 | Honda Accord 2019
no longer a civic, now a 2019 accord | Honda Accord 2019
not a civc, an accord 2019 | Honda Accord 2019
not a chevy silverado 1500, the silverado 2500hd 2019 | Chevrolet Silverado 2500HD 2019
2019 honda accord without honda civic parts | Honda Accord 2019
not a ford | ?make
honda civic, not 2018-2024 and not before 2016 | ?year 2016, 2017
civic, not 1995 to 2021 | ?year 2022, 2023, 2024
civic since 2020, not 2022 | ?year 2020, 2021, 2023, 2024
silverado 2019, not the 1500 | Chevrolet Silverado 2500HD 2019
2019 honda, not a civic | ?model Accord, CR-V, Element, Fit, HR-V, Insight, Odyssey, Pilot
no, a civic 2019 | Honda Civic 2019
No its a 2019 civic | Honda Civic 2019
no the 2019 civic | Honda Civic 2019
no brake pads for my civic 2019? | Honda Civic 2019
it doesn't fit my civic 2019 | Honda Civic 2019
can't find anything for my 2019 civic | Honda Civic 2019
not sure if 2018 or 2019 civic | ?year 2018, 2019
I don't know, civic 2019 | Honda Civic 2019
2019 civic, not the civic type r | Honda Civic 2019
kein civic, sondern ein accord 2019 | Honda Accord 2019
ich habe keinen civic sondern einen accord 2019 | Honda Accord 2019
das ist nicht der civic sondern der accord 2019 | Honda Accord 2019
ich habe nicht den civic, ich habe den accord von 2019 | Honda Accord 2019
weder ein civic noch ein fit, ein accord 2019 | Honda Accord 2019
accord 2019 statt civic | Honda Accord 2019
accord 2019 anstelle von einem civic | Honda Accord 2019
accord 2019 ohne civic | Honda Accord 2019
ce n'est pas une civic mais une accord 2019 | Honda Accord 2019
ce n’est pas une civic, c’est une accord 2019 | Honda Accord 2019
je n'ai pas de civic mais une accord 2019 | Honda Accord 2019
je n'ai plus la civic, j'ai une accord 2019 | Honda Accord 2019
pas la civic, la accord 2019 | Honda Accord 2019
accord 2019 au lieu d'une civic | Honda Accord 2019
accord 2019 sans civic | Honda Accord 2019
ni civic ni fit, accord 2019 | Honda Accord 2019
no tengo el corolla sino el prius 2019 | Toyota Prius 2019
no es un civic, es un accord 2019 | Honda Accord 2019
no es un civic es un accord 2019 | Honda Accord 2019
ya no tengo un civic, tengo un accord 2019 | Honda Accord 2019
accord 2019 en vez de civic | Honda Accord 2019
accord 2019 en lugar del civic | Honda Accord 2019
accord 2019 sin civic | Honda Accord 2019
`)

/** Which, is asked. */
export const severalVehicles = table(`
honda civic or toyota corolla | ?make Honda, Toyota
honda civic or corolla | ?make Honda, Toyota
honda civic, corolla | ?make Honda, Toyota
corolla, honda civic | ?make Honda, Toyota
corolla or honda civic | ?make Honda, Toyota
civic or corolla | ?make Honda, Toyota
civic or toyta corola | ?make Honda, Toyota
toyta corola or civic | ?make Honda, Toyota
honda civic and toyota | ?make Honda, Toyota
honda or mustang | ?make Ford, Honda
2015 honda civic or a 2018 f-150 | ?make Ford, Honda
2015 honda civic 2018 f-150 | ?make Ford, Honda
I have a 2015 honda civic and my wife a mustang | ?make Ford, Honda
civic, corolla or honda pilot | ?make Honda, Toyota
civic or accord 2019 | ?model Accord, Civic
honda civic 2018 or accord | ?model Accord, Civic
accord or honda civic 2018 | ?model Accord, Civic
chevy silverado 1500 or 2500hd 2012 | ?model Silverado 1500, Silverado 2500HD
honda civic 2015 or 2016 | ?year 2015, 2016
vw golf gti | ?model Golf, GTI
golf oder passat 2015 | ?model Golf, Passat
honda civic oder ein corolla | ?make Honda, Toyota
honda civic ou une corolla | ?make Honda, Toyota
honda civic o un corolla | ?make Honda, Toyota
un corolla y un honda civic | ?make Honda, Toyota
honda civic und f-150 2018-2020 | ?make Ford, Honda
town and country or honda odyssey | ?make Chrysler, Honda
honda and civic 2019 | Honda Civic 2019
12 or 13 inch wheels for my 2019 civic | Honda Civic 2019
toyota civic | -
`)
