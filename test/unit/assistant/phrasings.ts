/**
 * What customers write, and what a person would take it for: the vehicle, or `?facet` for the question to ask back (with the
 * candidates where they are few), or `-` for nothing that is sold here.
 */
export const phrasings = `
my 2019 honda civic ex | Honda Civic 2019
HONDA civc 2019 | Honda Civic 2019
2019 civic | Honda Civic 2019
civic | ?year
honda civic | ?year
honda | ?model
2019 honda | ?model
2019 | ?make
Civic 2019 | Honda Civic 2019
civic, 2019 | Honda Civic 2019
2019 Honda Civic | Honda Civic 2019
Honda-Civic-2019 | Honda Civic 2019
honda/civic/2019 | Honda Civic 2019
(2019) Honda Civic!!! | Honda Civic 2019
2019honda civic | Honda Civic 2019
civic2019 | Honda Civic 2019
i have a 2019 honda civic | Honda Civic 2019
I drive a Honda Civic from 2019 | Honda Civic 2019
it's a 2019 civic | Honda Civic 2019
it’s a 2019 Civic | Honda Civic 2019
do you have brake pads for my 2019 civic? | Honda Civic 2019
Does this fit my 2019 Honda Civic? | Honda Civic 2019
will it fit a 2019 civic | Honda Civic 2019
honda fit 2015 | Honda Fit 2015
2015 fit | Honda Fit 2015
my car is a civic, year 2019 | Honda Civic 2019
my '19 civic | Honda Civic 2019
'07 civic | Honda Civic 2007
civic 98 | Honda Civic 1998
99 honda accord | Honda Accord 1999
2019 hnoda civic | Honda Civic 2019
2019 hoonda civic | Honda Civic 2019
2019 hond civic | Honda Civic 2019
2019 honda civiic | Honda Civic 2019
2019 honda cvic | Honda Civic 2019
2019 honda civix | Honda Civic 2019
hodna acord 2003 | Honda Accord 2003
accrod 2003 | Honda Accord 2003
2012 crv | Honda CR-V 2012
2012 cr-v | Honda CR-V 2012
2012 CR V | Honda CR-V 2012
2012 Honda CR.V | Honda CR-V 2012
hrv 2018 | Honda HR-V 2018
honda oddyssey 2011 | Honda Odyssey 2011
odysey 2011 | Honda Odyssey 2011
ridgline 2017 | Honda Ridgeline 2017
2008 honda element sc | Honda Element 2008
pilot 2020 touring | Honda Pilot 2020
honda 2018 or 2019 civic | ?year 2018, 2019
civic or accord 2019 | ?model Accord, Civic
civic 2018 2019 2020 | ?year 2018, 2019, 2020
2019 honda mustang | -
2019 ford civic | -
toyota civic | -
civic 1850 | ?year
toyta corola | ?year
'15 civic ex | Honda Civic 2015
f150 | ?year
landcruiser | ?year
skoda | -
hello | -
where is my order | -
12345 | -
!!! | -
🚗 | -
honda hovercraft | ?model
F-150 2015 | Ford F-150 2015
f150 2015 | Ford F-150 2015
F 150 2015 | Ford F-150 2015
2015 ford f 150 xlt | Ford F-150 2015
2015 ford f-150 truck | Ford F-150 2015
ford f250 2010 | Ford F-250 2010
f-350 2015 | ?make
mustang 2005 gt | Ford Mustang 2005
ford mustnag 2005 | Ford Mustang 2005
2005 mustng | Ford Mustang 2005
ford exploer 2014 | Ford Explorer 2014
exploror 2014 | Ford Explorer 2014
ford escpae 2013 | Ford Escape 2013
2013 fucos | ?make
2013 ford focs | Ford Focus 2013
2013 FORD FOCUS SE | Ford Focus 2013
ford fusion | ?year
ranger 99 | Ford Ranger 1999
bronco 1996 | Ford Bronco 1996
ford transit van 2019 | Ford Transit 2019
chevy silverado 2012 | ?model Silverado 1500, Silverado 2500HD
chevy silverado 1500 2012 | Chevrolet Silverado 1500 2012
silverado 1500 2012 | Chevrolet Silverado 1500 2012
2012 Silverado1500 | Chevrolet Silverado 1500 2012
silverado 2500 2012 | Chevrolet Silverado 2500HD 2012
silverado 2500hd 2012 | Chevrolet Silverado 2500HD 2012
silverado 2500 hd | ?year
chevrolet silverdo 1500 2012 | Chevrolet Silverado 1500 2012
2012 chevy malibu | Chevrolet Malibu 2012
chevorlet malibu 2012 | Chevrolet Malibu 2012
cheverolet impala 2009 | Chevrolet Impala 2009
chevy camero 2010 | Chevrolet Camaro 2010
corvete 2001 | Chevrolet Corvette 2001
2001 'vette chevrolet corvette | Chevrolet Corvette 2001
tahoe 2004 lt | Chevrolet Tahoe 2004
chevy subruban 2008 | Chevrolet Suburban 2008
equinoxe 2016 | Chevrolet Equinox 2016
chevy colorado | ?year
sierra 2014 | ?model Sierra 1500, Sierra 2500HD
gmc sierra 1500 2014 | GMC Sierra 1500 2014
gmc yukon denali 2014 | GMC Yukon 2014
2014 yukn gmc | GMC Yukon 2014
terrain 2018 | GMC Terrain 2018
chrysler 300 2012 | Chrysler 300 2012
2012 300 chrysler | Chrysler 300 2012
chrysler 200 2013 | Chrysler 200 2013
town and country 2010 | Chrysler Town & Country 2010
Town & Country 2010 | Chrysler Town & Country 2010
chrysler town country 2010 | Chrysler Town & Country 2010
pt cruiser 2006 | Chrysler PT Cruiser 2006
pacfica 2017 | Chrysler Pacifica 2017
sebring convertible 2004 | Chrysler Sebring 2004
dodge challanger 2015 | Dodge Challenger 2015
2015 dodge charger rt | Dodge Charger 2015
dogde durango 2011 | Dodge Durango 2011
grand caravan 2009 | Dodge Grand Caravan 2009
dodge caravan 2009 | Dodge Grand Caravan 2009
neon 2003 srt4 | Dodge Neon 2003
jeep wrangler 2018 | Jeep Wrangler 2018
jeep wranger 2018 | Jeep Wrangler 2018
jeep cherokee 2016 | Jeep Cherokee 2016
jeep grand cherokee 2016 | Jeep Grand Cherokee 2016
grandcherokee 2016 | Jeep Grand Cherokee 2016
jeep grand cherokkee 2016 | Jeep Grand Cherokee 2016
gladiator 2020 | Jeep Gladiator 2020
jeep | ?model
range rover 2014 | Land Rover Range Rover 2014
range rover sport 2014 | Land Rover Range Rover Sport 2014
land rover range rover 2014 | Land Rover Range Rover 2014
land rover discovery 2005 | Land Rover Discovery 2005
landrover defender 1997 | Land Rover Defender 1997
land cruiser 2008 | Toyota Land Cruiser 2008
toyota landcruiser 2008 | Toyota Land Cruiser 2008
lr3 2006 | Land Rover LR3 2006
lr 3 2006 | Land Rover LR3 2006
bmw 3 series 2012 | BMW 3 Series 2012
bmw 3series 2012 | BMW 3 Series 2012
3-series 2012 bmw | BMW 3 Series 2012
bimmer x5 2011 | BMW X5 2011
x5 2011 | BMW X5 2011
x 5 bmw 2011 | BMW X5 2011
bmw m3 2008 | BMW M3 2008
bmw | ?model
audi a4 2015 | Audi A4 2015
a4 2015 quattro | Audi A4 2015
AUDI Q5 2017 | Audi Q5 2017
audi etron 2020 | Audi e-tron 2020
audi e tron 2020 | Audi e-tron 2020
mercedes c class 2015 | Mercedes-Benz C-Class 2015
mercedes-benz c-class 2015 | Mercedes-Benz C-Class 2015
mercedes benz cclass 2015 | Mercedes-Benz C-Class 2015
benz glc 2019 | Mercedes-Benz GLC 2019
mercedez benz gle 2019 | Mercedes-Benz GLE 2019
Mércèdes S-Class 2010 | Mercedes-Benz S-Class 2010
mazda 3 2014 | Mazda 3 2014
mazda3 2014 | Mazda 3 2014
2014 mazda 3 | Mazda 3 2014
2014 mazda 6 touring | Mazda 6 2014
mazda cx5 2018 | Mazda CX-5 2018
cx-5 2018 | Mazda CX-5 2018
cx 9 2018 mazda | Mazda CX-9 2018
miata 1999 | Mazda MX-5 Miata 1999
mx5 1999 | Mazda MX-5 Miata 1999
mx-5 miata 1999 | Mazda MX-5 Miata 1999
mazda rx8 2004 | Mazda RX-8 2004
toyota camry 2010 | Toyota Camry 2010
toyta camry 2010 | Toyota Camry 2010
tayota camary 2010 | Toyota Camry 2010
toyota corola 2007 | Toyota Corolla 2007
corrola 2007 | Toyota Corolla 2007
rav4 2016 | Toyota RAV4 2016
rav 4 2016 | Toyota RAV4 2016
Toyota RAV-4 2016 | Toyota RAV4 2016
4runner 2011 | Toyota 4Runner 2011
4 runner 2011 | Toyota 4Runner 2011
toyota tacoma 2013 trd | Toyota Tacoma 2013
tacom 2013 | Toyota Tacoma 2013
tundra 2015 crewmax | Toyota Tundra 2015
prius 2010 hybrid | Toyota Prius 2010
sienna 2012 awd | Toyota Sienna 2012
toyota highlander | ?year
vw golf 2015 | Volkswagen Golf 2015
volkswagen jeta 2012 | Volkswagen Jetta 2012
volkswagon passat 2012 | Volkswagen Passat 2012
vw tiguan 2018 sel | Volkswagen Tiguan 2018
vw beetle | ?year
nissan altima 2013 | Nissan Altima 2013
nisan sentra 2013 | Nissan Sentra 2013
370z 2010 | Nissan 370Z 2010
370 z nissan 2010 | Nissan 370Z 2010
nissan pathfnder 2006 | Nissan Pathfinder 2006
leaf 2015 | Nissan Leaf 2015
subaru outbak 2014 | Subaru Outback 2014
suburu forester 2014 | Subaru Forester 2014
wrx 2016 sti | Subaru WRX 2016
subaru crosstrek 2019 limited | Subaru Crosstrek 2019
hyundai elantra 2016 | Hyundai Elantra 2016
hyundia elantra 2016 | Hyundai Elantra 2016
santafe 2012 | Hyundai Santa Fe 2012
hyundai santa fe 2012 | Hyundai Santa Fe 2012
ioniq 2022 | Hyundai Ioniq 5 2022
kia soul 2014 | Kia Soul 2014
kia sorrento 2014 | Kia Sorento 2014
sportge 2014 | Kia Sportage 2014
lexus rx350 2013 | Lexus RX 350 2013
lexus rx 2013 | Lexus RX 350 2013
rx-350 2013 | Lexus RX 350 2013
lexus is250 2008 | Lexus IS 250 2008
acura tlx 2017 | Acura TLX 2017
acura intega 1998 | Acura Integra 1998
2017 acura | ?model
`.trim().split('\n').map((row) => row.split(' | ') as [phrase: string, expected: string])
