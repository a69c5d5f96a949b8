import { describe, expect, test } from 'bun:test'
import { guessColumns } from './guess.ts'
import { layoutOf } from './testing/read.ts'

/** The guess for a file in words: the column of each field, and the questions that remain. */
async function guessOf(text: string): Promise<Record<string, unknown>> {
  const { columns } = await layoutOf(text)
  const { columns: guessed, questions, repeatedNumber, quantity, age } = guessColumns(columns)
  const nameOf = (index: number | undefined) => columns[index ?? -1]?.name
  return {
    ...Object.fromEntries([...guessed].map(([field, index]) => [field, nameOf(index)])),
    ...Object.fromEntries(questions.map(({ field, columns: possible }) => [field, ['ask', ...possible.map(nameOf)]])),
    ...(repeatedNumber === undefined ? {} : { repeatedNumber: nameOf(repeatedNumber) }),
    ...(quantity === undefined ? {} : { quantity: nameOf(quantity) }),
    ...(age === undefined ? {} : { age: nameOf(age) }),
  }
}

/** The first rows of lists that shelters, cities and programs of shops publish or export. */
const lists: readonly (readonly [list: string, rows: string, guess: Record<string, unknown>])[] = [
  [
    'Austin Animal Center, outcomes',
    `ID,Outcome Date,Animal ID,Name,Outcome Status,Euthanasia Reason,Type,Sex,Spayed/Neutered,Primary Breed,Primary Color,Secondary Color,Date of Birth,Intake Date,Days in Shelter,Timestamp
12891,2025-05-05T10:08:00,6881,Honeysuckle,Euthanized,Injured,Cat,Female,Unknown,Himalayan,Cream,Brown,05/05/2020 12:00:00 AM,05/05/2025 09:55:00 AM,311,03/12/2026 12:34:59 PM
13060,2025-05-05T17:15:00,6885,,Transfer Out,,Dog,Female,No,German Shepherd,Buff,Cream,01/05/2025 12:00:00 AM,05/05/2025 10:40:00 AM,311,03/12/2026 12:34:59 PM
13463,2025-05-07T12:58:00,6434,*BABY BILLY,Adopted,,Cat,Male,Yes,Domestic Shorthair,Brown Tabby,,04/01/2023 12:00:00 AM,04/01/2025 12:00:00 AM,345,03/12/2026 12:34:59 PM`,
    {
      name: 'Name',
      category: 'Type',
      status: 'Outcome Status',
      number: 'Animal ID',
      breed: 'Primary Breed',
      color: 'Primary Color',
      sex: 'Sex',
      birthDate: 'Date of Birth',
    },
  ],
  [
    'Kaggle, shelter animal outcomes',
    `AnimalID,Name,DateTime,OutcomeType,OutcomeSubtype,AnimalType,SexuponOutcome,AgeuponOutcome,Breed,Color
A671945,Hambone,2014-02-12 18:22:00,Return_to_owner,,Dog,Neutered Male,1 year,Shetland Sheepdog Mix,Brown/White
A656520,Emily,2013-10-13 12:44:00,Euthanasia,Suffering,Cat,Spayed Female,1 year,Domestic Shorthair Mix,Cream Tabby
A686464,Pearce,2015-01-31 12:28:00,Adoption,Foster,Dog,Neutered Male,2 years,Pit Bull Mix,Blue/White`,
    {
      name: 'Name',
      category: 'AnimalType',
      status: 'OutcomeType',
      number: 'AnimalID',
      breed: 'Breed',
      color: 'Color',
      sex: 'SexuponOutcome',
      age: 'AgeuponOutcome',
    },
  ],
  [
    'Long Beach Animal Care',
    `animal_id,animal_name,animal_type,primary_color,secondary_color,sex,dob,intake_date,intake_condition,intake_type,intake_subtype,reason_for_intake,outcome_date,crossing,jurisdiction,outcome_type,outcome_subtype,latitude,longitude,outcome_is_dead,was_outcome_alive,geopoint
A607347,NA,cat,black,NA,Female,2018-04-24,2018-05-09,under age/weight,stray,otc,NA,2018-05-09,"400 BLK E 7TH ST",Long Beach,rescue,zazzycat,33.7753534,-118.1876813,FALSE,TRUE,"33.7753534, -118.1876813"
A645526,*little prince,cat,orange,cream,Male,2019-07-15,2020-07-16,normal,stray,otc,NA,2020-07-29,"400 BLK E 9TH ST",Long Beach,euthanasia,ill severe,33.7777601,-118.1876672,TRUE,FALSE,"33.7777601, -118.1876672"`,
    {
      name: 'animal_name',
      category: 'animal_type',
      status: 'outcome_type',
      number: 'animal_id',
      color: 'primary_color',
      sex: 'sex',
      birthDate: 'dob',
    },
  ],
  [
    'Montgomery County, adoptable pets',
    `Animal ID,Intake Type,In Date,Pet name,Animal Type,Pet Age,Pet Size,Color,Breed,Sex,URL Link,Crossing
A532154,STRAY,11/01/2025,*BISCUIT,DOG,3 YEARS,MED,BROWN,LABRADOR RETR,M,http://www.petharbor.com/pet.asp?uaid=MONT.A532154,CROSSING RD
A532155,OWNER SUR,11/01/2025,,CAT,1 YEAR,SMALL,BLACK,DOMESTIC SH,F,http://www.petharbor.com/pet.asp?uaid=MONT.A532155,`,
    {
      name: 'Pet name',
      category: 'Animal Type',
      number: 'Animal ID',
      breed: 'Breed',
      color: 'Color',
      sex: 'Sex',
      age: 'Pet Age',
    },
  ],
  [
    'Animal Shelter Manager',
    `ANIMALID,ANIMALCODE,ANIMALLITTER,ANIMALNAME,ANIMALSEX,ANIMALTYPE,ANIMALWEIGHT,ANIMALCOLOR,ANIMALBREED1,ANIMALBREED2,ANIMALDOB,ANIMALLOCATION,ANIMALUNIT,ANIMALSPECIES,ANIMALDESCRIPTION,ANIMALMICROCHIP,ANIMALENTRYDATE
1,D2024001,,Rex,Male,D (Dog),12.5,Black,Labrador,,2020-01-01,Main,12,Dog,Friendly,985112345678903,2024-02-01
2,C2024002,,Tom,Male,U (Unwanted Cat),4,White,DSH,,2021-01-01,Main,2,Cat,,,2024-02-01`,
    {
      name: 'ANIMALNAME',
      category: 'ANIMALSPECIES',
      number: 'ANIMALCODE',
      breed: 'ANIMALBREED1',
      color: 'ANIMALCOLOR',
      sex: 'ANIMALSEX',
      birthDate: 'ANIMALDOB',
      microchip: 'ANIMALMICROCHIP',
      description: 'ANIMALDESCRIPTION',
    },
  ],
  [
    'Seattle, pet licenses',
    `license_issue_date,license_number,animals_name,species,primary_breed,secondary_breed,zip_code
November 16 2018,8002756,Wall-E,Dog,"Mixed Breed, Medium (up to 44 lbs fully grown)",Mix,98108
November 11 2018,S124529,Andre,Dog,"Terrier, Jack Russell","Dachshund, Standard Wire Haired",98117`,
    { name: 'animals_name', category: 'species', number: 'license_number', breed: 'primary_breed' },
  ],
  [
    'New York, dog licenses',
    `AnimalName,AnimalGender,AnimalBirthYear,BreedName,ZipCode,LicenseIssuedDate,LicenseExpiredDate,Extract Year
PAIGE,F,2014,American Pit Bull Mix / Pit Bull Mix,10035,09/12/2014,09/12/2017,2016
YOGI,M,2010,Boxer,10465,09/12/2014,10/02/2017,2016`,
    {
      name: 'AnimalName',
      category: ['ask', 'BreedName'],
      breed: 'BreedName',
      sex: 'AnimalGender',
      birthDate: 'AnimalBirthYear',
    },
  ],
  [
    'Zurich, names of dogs',
    'StichtagDatJahr,HundenameText,GebDatHundJahr,SexHundCd,SexHundLang,AnzHunde\n2024,Luna,2019,2,weiblich,1\n2024,Rocky,2015,1,männlich,2',
    { name: 'HundenameText', sex: 'SexHundLang', birthDate: 'GebDatHundJahr' },
  ],
  [
    'Sonoma County, intakes and outcomes',
    `Name,Type,Breed,Color,Sex,Size,Date Of Birth,Impound Number,Kennel Number,Animal ID,Intake Date,Outcome Date,Intake Type,Outcome Type,Outcome Subtype,Intake Condition,Outcome Condition,Location,Count
LUNA,DOG,HUSKY,GRAY,Spayed,LARGE,08/01/2018,K22-037615,DS57,A416338,03/21/2022,03/21/2022,STRAY,RETURN TO OWNER,OVER THE COUNTER_CALL,UNKNOWN,HEALTHY,"95472(38.4, -122.8)",1
*MAX,CAT,DOMESTIC SH,BLACK,Neutered,SMALL,,K22-037616,C1,A416339,03/22/2022,,STRAY,ADOPTION,INTERNET,HEALTHY,HEALTHY,,1`,
    {
      name: 'Name',
      category: 'Type',
      status: 'Outcome Type',
      number: 'Animal ID',
      breed: 'Breed',
      color: 'Color',
      sex: 'Sex',
      birthDate: 'Date Of Birth',
      quantity: 'Count',
    },
  ],
  [
    'a dog school',
    'Vorname;Nachname;Hundename;Rasse\nKlaus;Muster;Bello;Labrador',
    { name: 'Hundename', category: ['ask', 'Rasse'], breed: 'Rasse' },
  ],
  [
    'PetFinder.my, with codes instead of words',
    `Type,Name,Age,Breed1,Breed2,Gender,Color1,Color2,Color3,MaturitySize,FurLength,Vaccinated,Dewormed,Sterilized,Health,Quantity,Fee,State,RescuerID,VideoAmt,Description,PetID,PhotoAmt,AdoptionSpeed
2,Nibble,3,299,0,1,1,7,0,1,1,2,2,2,1,1,100,41326,8480853f516546f6cf33aa88cd76c379,0,"Nibble is a 3+ month old ball of cuteness.",86e1089a3,1.0,2
1,Brisco,1,307,0,1,1,2,0,2,2,1,1,2,1,1,0,41326,fa90fa5b1ee11c86938398b60abc32cb,0,Good guard dog,3422e4906,7.0,0`,
    {
      name: 'Name',
      number: 'PetID',
      price: 'Fee',
      description: 'Description',
      quantity: 'Quantity',
      age: 'Age',
    },
  ],
  [
    'MorphMarket, bulk import',
    `Category*,Title*,Animal_Id*,Price,State,Enabled,Sex,Dob,Maturity,Traits,Weight,Photo_Urls
Ball Pythons,Pastel Clown,BP-001,250,For Sale,True,male,2024,Baby,Pastel Clown,120,
Ball Pythons,Banana,BP-002,300,Sold,True,female,2024,Baby,Banana,110,`,
    {
      name: 'Title*',
      category: 'Category*',
      status: 'State',
      number: 'Animal_Id*',
      sex: 'Sex',
      birthDate: 'Dob',
      price: 'Price',
      published: 'Enabled',
    },
  ],
  [
    'Square, item library',
    `Token,Item Name,Variation Name,SKU,Description,Category,Price,GTIN,Current Quantity Main St
tok1,Syrian hamster,Golden,SQ-1,Fresh,Small animals,12.50,,4
tok2,Neon tetra,Regular,SQ-2,,Fish,"£4,250.00",00012345678905,60`,
    {
      name: 'Item Name',
      category: 'Category',
      number: 'SKU',
      price: 'Price',
      description: 'Description',
      quantity: 'Current Quantity Main St',
    },
  ],
  [
    'WooCommerce, products',
    `ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description,Tax status,In stock?,Stock,Weight (kg),Sale price,Regular price,Categories,Tags,Images,Attribute 1 name
741,simple,gecko-1,Leopard gecko,1,0,visible,A gecko.,Eats crickets.,taxable,1,3,,18,20,Animals > Reptiles,,https://example.com/1.png,Color
742,simple,tetra-1,Neon tetra,1,0,visible,A fish.,Lives in groups.,taxable,0,0,,,3.5,Animals > Fish,,https://example.com/2.png,`,
    {
      name: 'Name',
      category: 'Categories',
      status: 'In stock?',
      number: 'SKU',
      price: 'Regular price',
      description: 'Description',
      published: 'Published',
      quantity: 'Stock',
    },
  ],
  [
    'Shopify, products',
    `Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Inventory Qty,Variant Price,Variant Barcode,Image Src,Gift Card,Status
leo,Leopard gecko,<p>Eats crickets.</p>,Us,Animals & Pet Supplies > Live Animals,Reptiles,,TRUE,Title,Default Title,L-1,60,1,120.00,,https://example.com/1.png,false,active
tetra,Neon tetra,<p>Small.</p>,Us,Animals & Pet Supplies > Live Animals,Fish,,TRUE,Title,Default Title,T-1,1,20,3.50,,https://example.com/2.png,false,draft`,
    {
      name: 'Title',
      category: 'Type',
      status: 'Status',
      number: 'Variant SKU',
      price: 'Variant Price',
      published: 'Published',
      quantity: 'Variant Inventory Qty',
    },
  ],
  [
    'Loyverse, items',
    `Handle,SKU,Name,Category,Description,Sold by weight,Option 1 name,Option 1 value,Default price,Cost,Barcode,Track stock,Available for sale [Main],Price [Main],In stock [Main],Low stock [Main]
budgie,10001,Budgie,Birds,,N,,,25.00,10,,Y,Y,25.00,4,
ferret,10002,Ferret,Small animals,,N,,,150.00,70,,Y,N,150.00,0,`,
    {
      name: 'Name',
      category: 'Category',
      status: 'Available for sale [Main]',
      number: 'SKU',
      price: 'Default price',
      quantity: 'In stock [Main]',
    },
  ],
  [
    'a German list',
    'Nr.;Rufname;Tierart;Rasse;Farbe;Geschlecht;Geburtsdatum;Chipnummer;Preis;Verfügbarkeit;Bemerkung\n1;Rex;Hund;Boxer;braun;männlich;14.03.2024;276098102345678;1.234,56 €;verfügbar;lieb\n2;Mia;Katze;EKH;rot;weiblich;2023;;80;reserviert;',
    {
      name: 'Rufname',
      category: 'Tierart',
      status: 'Verfügbarkeit',
      number: 'Nr.',
      breed: 'Rasse',
      color: 'Farbe',
      sex: 'Geschlecht',
      birthDate: 'Geburtsdatum',
      microchip: 'Chipnummer',
      price: 'Preis',
    },
  ],
  [
    'a French list',
    "Nom de l'animal;Espèce;Race;Couleur;Sexe;Date de naissance;Numéro de puce;Prix;Adopté\nRex;Chien;Boxer;noir;mâle;14/03/2024;250268500000001;80 €;oui\nMia;Chat;Européen;roux;femelle;2023;;;non",
    {
      name: "Nom de l'animal",
      category: 'Espèce',
      status: 'Adopté',
      breed: 'Race',
      color: 'Couleur',
      sex: 'Sexe',
      birthDate: 'Date de naissance',
      microchip: 'Numéro de puce',
      price: 'Prix',
    },
  ],
  [
    'a Spanish list',
    'Nombre;Especie;Raza;Color;Sexo;Fecha de nacimiento;Precio;Situación\nRex;Perro;Bóxer;negro;macho;14/03/2024;80,00 €;vendido\nMía;Gato;Común;rojo;hembra;2023;50;en venta',
    {
      name: 'Nombre',
      category: 'Especie',
      status: 'Situación',
      breed: 'Raza',
      color: 'Color',
      sex: 'Sexo',
      birthDate: 'Fecha de nacimiento',
      price: 'Precio',
    },
  ],
  [
    'an Italian list',
    'Nome animale;Specie;Razza;Colore;Sesso;Data di nascita;Prezzo;Stato\nRex;Cane;Boxer;nero;maschio;14/03/2024;80;disponibile\nMia;Gatto;Europeo;rosso;femmina;2023;50;venduta',
    {
      name: 'Nome animale',
      category: 'Specie',
      status: 'Stato',
      breed: 'Razza',
      color: 'Colore',
      sex: 'Sesso',
      birthDate: 'Data di nascita',
      price: 'Prezzo',
    },
  ],
  [
    'a Polish list',
    'Imię;Gatunek;Rasa;Maść;Płeć;Data urodzenia;Numer chipa;Cena;Stan\nŁatek;Pies;Bokser;czarny;samiec;14.03.2024;616093901234567;80 zł;dostępny\nMia;Kot;europejski;rudy;samica;2023;;50;zarezerwowana',
    {
      name: 'Imię',
      category: 'Gatunek',
      status: 'Stan',
      breed: 'Rasa',
      color: 'Maść',
      sex: 'Płeć',
      birthDate: 'Data urodzenia',
      microchip: 'Numer chipa',
      price: 'Cena',
    },
  ],
  [
    'a Dutch list',
    'Naam;Soort;Ras;Kleur;Geslacht;Geboortedatum;Chipnummer;Prijs;Beschikbaar\nRex;Hond;Boxer;zwart;reu;14-03-2024;528140000123456;80;ja\nMia;Kat;Europees;rood;poes;2023;;50;nee',
    {
      name: 'Naam',
      category: 'Soort',
      status: 'Beschikbaar',
      breed: 'Ras',
      color: 'Kleur',
      sex: 'Geslacht',
      birthDate: 'Geboortedatum',
      microchip: 'Chipnummer',
      price: 'Prijs',
    },
  ],
  [
    'Shelterluv, animals',
    `Animal ID,Name,Species,Primary Breed,Secondary Breed,Sex,Altered,DOB,Age (Y/M/D),Primary Color,Status,Sub Status,Microchip Number,Intake Type,Adoption Fee Group,Attributes
HP-A-1001,Biscuit,Dog,Terrier,Pit Bull,Male,Yes,03/14/2022,2Y/1M/3D,Brown,Available For Adoption,,985112001234567,Stray,Dog Adult,House trained
HP-A-1002,Luna,Cat,Domestic Shorthair,,Female,Yes,08/02/2023,8M/1D,Black,Healthy In Home,,985112001234568,Owner Surrender,Kitten,`,
    {
      name: 'Name',
      category: 'Species',
      status: 'Status',
      number: 'Animal ID',
      breed: 'Primary Breed',
      color: 'Primary Color',
      sex: 'Sex',
      birthDate: 'DOB',
      microchip: 'Microchip Number',
    },
  ],
  [
    'PetPoint, inventory',
    `Animal #,ARN,Animal Name,Species,Primary Breed,Gender,Altered,Date Of Birth,Age (Months),Stage,Location,Intake Date,Microchip Number,Colour,Hold Reason
A0041234567,,Pepper,Dog,"Retriever, Labrador",F,Yes,4/12/2021,36,Available,Adoption Floor,3/1/2024,981020012345678,Black,
A0041234568,,Smokey,Cat,Domestic Shorthair,M,No,6/1/2023,9,Evaluate,Intake,3/4/2024,,Grey,
A0041234569,,,Cat,Domestic Longhair,U,No,,,Hold - Stray,Intake,3/5/2024,,White,Stray hold`,
    {
      name: 'Animal Name',
      category: 'Species',
      status: 'Stage',
      number: 'Animal #',
      breed: 'Primary Breed',
      color: 'Colour',
      sex: 'Gender',
      birthDate: 'Date Of Birth',
      microchip: 'Microchip Number',
      age: 'Age (Months)',
    },
  ],
  [
    'RescueGroups, animals, with descriptions in HTML',
    `Animal ID,Status,Species,Name,Rescue ID,Breed,Mix,Sex,General Age,Birthdate,Color (General),Microchip Number,Adoption Fee,Description
18912345,Available,Dog,Winnie,R24-003,Beagle,Yes,Female,Adult,02/01/2020,Tricolor,985113002345678,$250,<p>Winnie loves kids.</p>
18912346,Adopted,Cat,Socks,R24-004,Domestic Short Hair,No,Male,Young,07/09/2023,Black and White,,$75,<p>Quiet.</p>`,
    {
      name: 'Name',
      category: 'Species',
      status: 'Status',
      number: 'Animal ID',
      breed: 'Breed',
      color: 'Color (General)',
      sex: 'Sex',
      birthDate: 'Birthdate',
      microchip: 'Microchip Number',
      price: 'Adoption Fee',
    },
  ],
  [
    'Dallas Animal Services, without names',
    `Animal_Id,Animal_Type,Animal_Breed,Kennel_Number,Kennel_Status,Intake_Type,Intake_Condition,Outcome_Type,Chip_Status
A1200001,DOG,GERM SHEPHERD,BOLT,UNAVAILABLE,STRAY,APP WNL,ADOPTION,SCAN NO CHIP
A1200002,CAT,DOMESTIC SH,CT 2,AVAILABLE,OWNER SURRENDER,APP SICK,RETURNED TO OWNER,SCAN CHIP`,
    { category: 'Animal_Type', status: 'Outcome_Type', number: 'Animal_Id', breed: 'Animal_Breed' },
  ],
  [
    'Edmonton, pet licences',
    `YEAR,MONTH NUMBER,MONTH NAME,LICENCE DATE,PET TYPE,PET NAME,BREED,GENDER,SPAYED/NEUTERED,NEIGHBOURHOOD,COUNT
2024,1,JANUARY,2024/01/03,Dog,BELLA,LABRADOR RETR,F,True,SUMMERLEA,1
2024,1,JANUARY,2024/01/03,Cat,MILO,DOMESTIC SH,M,True,BEACON HEIGHTS,1`,
    { name: 'PET NAME', category: 'PET TYPE', breed: 'BREED', sex: 'GENDER', quantity: 'COUNT' },
  ],
  [
    'a veterinary practice',
    `Client ID,Client First Name,Client Last Name,Patient ID,Patient Name,Species,Sex,Date of Birth,Weight,Microchip,Status
C1,Ann,Smith,P100,Rex,Canine,MN,2019-04-01,30,985112001234567,Active
C2,Bob,Jones,P102,Kiwi,Avian,U,2021-04-01,0.03,,Deceased`,
    {
      name: 'Patient Name',
      category: 'Species',
      status: 'Status',
      number: 'Patient ID',
      sex: 'Sex',
      birthDate: 'Date of Birth',
      microchip: 'Microchip',
    },
  ],
  [
    'a breeder, with two names for each dog',
    `Zuchtbuchnr.;Name des Hundes;Rufname;Rasse;Geschl.;Wurfdatum;Farbe;Chip-Nr.;Vater;Mutter;Status;Preis
VDH 24/1;Aika vom Berg;Aika;Hovawart;H;03.02.2024;blond;276098100000001;Bosko;Cara;abzugeben;1.800,00
VDH 24/2;Arko vom Berg;Arko;Hovawart;R;03.02.2024;schwarz;276098100000002;Bosko;Cara;verkauft;1.800,00`,
    {
      name: ['ask', 'Name des Hundes', 'Rufname'],
      category: ['ask', 'Rasse'],
      status: 'Status',
      number: 'Zuchtbuchnr.',
      breed: 'Rasse',
      color: 'Farbe',
      sex: 'Geschl.',
      birthDate: 'Wurfdatum',
      microchip: 'Chip-Nr.',
      price: 'Preis',
    },
  ],
  [
    'a breeder of horses',
    `Name,Reg. No.,Breed,Color,Sex,Foaled,Height,Price,Availability
Starlight,AQHA-1,Quarter Horse,Bay,Mare,2015,15.1,"$8,500",For Sale
Thunder,AQHA-2,Quarter Horse,Sorrel,Gelding,2012,15.3,"$6,000",Sale Pending`,
    {
      name: 'Name',
      category: ['ask', 'Breed'],
      status: 'Availability',
      breed: 'Breed',
      color: 'Color',
      sex: 'Sex',
      birthDate: 'Foaled',
      price: 'Price',
    },
  ],
  [
    'a German shelter',
    'Tier-Nr.;Tiername;Tierart;Rasse;m/w;kastriert;geb.;Farbe;Chip-Nr.;Aufnahmegrund;Status\n24-001;Bello;Hund;Mischling;m;ja;04/2020;braun;276098100000011;Fund;zur Vermittlung\n24-002;Minka;Katze;EKH;w;nein;2022;getigert;;Abgabe;vermittelt',
    {
      name: 'Tiername',
      category: 'Tierart',
      status: 'Status',
      number: 'Tier-Nr.',
      breed: 'Rasse',
      color: 'Farbe',
      sex: 'm/w',
      birthDate: 'geb.',
      microchip: 'Chip-Nr.',
    },
  ],
  [
    'an Italian shelter',
    'N. box;Nome;Specie;Razza;Sesso;Nato il;Mantello;N. microchip;Stato\n1;Fido;Cane;Meticcio;M;14/03/2020;Nero;380260000000001;Adottabile\n1;Luna;Gatto;Europeo;F;01/06/2022;Fulvo;380260000000002;Deceduto',
    {
      name: 'Nome',
      category: 'Specie',
      status: 'Stato',
      breed: 'Razza',
      color: 'Mantello',
      sex: 'Sesso',
      birthDate: 'Nato il',
      microchip: 'N. microchip',
    },
  ],
  [
    'a Dutch shelter',
    'Dier nr;Naam;Diersoort;Ras;Geslacht;Gecastreerd;Geb. datum;Kleur;Chipnummer;Status\n24001;Bobbie;Hond;Kruising;Reu;Ja;14-03-2020;Bruin;528140000000001;Beschikbaar\n24002;Poekie;Kat;Europees;Poes;Ja;2022;Cypers;528140000000002;Geplaatst',
    {
      name: 'Naam',
      category: 'Diersoort',
      status: 'Status',
      number: 'Dier nr',
      breed: 'Ras',
      color: 'Kleur',
      sex: 'Geslacht',
      birthDate: 'Geb. datum',
      microchip: 'Chipnummer',
    },
  ],
  [
    'WooCommerce, products in German',
    `ID,Typ,Artikelnummer,Name,Veröffentlicht,Ist hervorgehoben?,Sichtbarkeit im Katalog,Kurzbeschreibung,Beschreibung,Steuerstatus,Vorrätig?,Bestand,Angebotspreis,Regulärer Preis,Kategorien,Bilder
741,simple,gecko-1,Leopardgecko,1,0,visible,Ein Gecko.,Frisst Grillen.,taxable,1,3,"99,00","120,00",Tiere > Reptilien,https://example.com/1.png
742,simple,tetra-1,Neonsalmler,1,0,visible,Ein Fisch.,Lebt in Gruppen.,taxable,0,0,,"3,50",Tiere > Fische,`,
    {
      name: 'Name',
      category: 'Kategorien',
      status: 'Vorrätig?',
      number: 'Artikelnummer',
      price: 'Regulärer Preis',
      description: 'Beschreibung',
      published: 'Veröffentlicht',
      quantity: 'Bestand',
    },
  ],
  [
    'Shopify, products of 2024',
    `Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Barcode,Price,Compare-at price,Cost per item,Inventory quantity,Gift card
Leopard gecko,leopard-gecko,Eats crickets.,Us,Animals & Pet Supplies > Live Animals,Reptiles,gecko,TRUE,Active,LG-1,,120.00,,60,3,FALSE
Neon tetra,neon-tetra,Small.,Us,Animals & Pet Supplies > Live Animals,Fish,fish,TRUE,Draft,NT-1,,3.50,,1,60,FALSE`,
    {
      name: 'Title',
      category: 'Type',
      status: 'Status',
      number: 'SKU',
      price: 'Price',
      description: 'Description',
      published: 'Published on online store',
    },
  ],
  [
    'Loyverse, with two shops',
    `Handle,SKU,Name,Category,Default price,Available for sale [Shop 1],In stock [Shop 1],Available for sale [Shop 2],In stock [Shop 2]
budgie,10001,Budgie,Birds,25.00,Y,4,Y,2
ferret,10002,Ferret,Small animals,150.00,N,0,Y,0`,
    {
      name: 'Name',
      category: 'Category',
      status: ['ask', 'Available for sale [Shop 1]', 'Available for sale [Shop 2]'],
      number: 'SKU',
      price: 'Default price',
      quantity: 'In stock [Shop 1]',
    },
  ],
  [
    'PrestaShop, products in French',
    'ID;Image;Nom;Référence;Catégorie;Prix (HT);Prix (TTC);Quantité;État\n12;;Perruche;PER-1;Oiseaux;20,83;25,00;4;1\n13;;Furet;FUR-1;Rongeurs;125,00;150,00;0;0',
    {
      name: 'Nom',
      category: 'Catégorie',
      number: ['ask', 'ID', 'Référence'],
      price: 'Prix (TTC)',
      quantity: 'Quantité',
    },
  ],
  [
    'a till in French',
    'Code article;Désignation;Famille;PV TTC;PA HT;Stock\nFUR1;Furet;Rongeurs;150,00;60,00;2\nPER1;Perruche;Oiseaux;25,00;8,00;4',
    { name: 'Désignation', category: 'Famille', number: 'Code article', price: 'PV TTC', quantity: 'Stock' },
  ],
  [
    'a list of stock in German',
    'Artikelnr.;Bezeichnung;Warengruppe;VK-Preis;EK-Preis;Bestand\n1001;Goldhamster;Nager;12,90;5,00;7\n1002;Wellensittich;Vögel;24,90;10,00;3',
    { name: 'Bezeichnung', category: 'Warengruppe', number: 'Artikelnr.', price: 'VK-Preis', quantity: 'Bestand' },
  ],
  [
    'the Swagger Petstore, as NDJSON',
    `{"id":190192062,"category":{"id":1,"name":"Dogs"},"name":"doggie","photoUrls":["string"],"tags":[{"id":0,"name":"string"}],"status":"available"}
{"id":190192063,"category":{"id":2,"name":"Cats"},"name":"kitty","photoUrls":["string"],"tags":[],"status":"sold"}`,
    { name: 'name', category: 'category.name', status: 'status', number: 'id' },
  ],
  [
    'types that are no animals, beside species',
    'Name,Type,Species,Status\nRex,Stray,Dog,available\nTom,Owner surrender,Cat,sold',
    { name: 'Name', category: 'Species', status: 'Status' },
  ],
  [
    'a list of prices of a shop',
    'Name,Category,Price\nRex,Dog,100\nTom,Cat,50',
    { name: 'Name', category: 'Category', price: 'Price' },
  ],
]

test.each(lists)('the columns of %s are guessed, or asked for', async (_, rows, guess) => {
  expect(await guessOf(rows)).toEqual(guess)
})

describe('a guess', () => {
  const many = (row: (i: number) => string, count = 20) => Array.from({ length: count }, (_, i) => row(i)).join('\n')

  test('asks which of two columns is the name', async () => {
    expect(await guessOf('Name,Category,Name\nRex,Dog,Miller')).toMatchObject({ name: ['ask', 'Name', 'Name'] })
    expect(await guessOf('Name,Category,Pet name\nMiller,Dog,Rex')).toMatchObject({
      name: ['ask', 'Name', 'Pet name'],
    })
  })

  test('takes no column of numbers, or of as many values as rows, as the category', async () => {
    expect(await guessOf(`Name,Species\n${many((i) => `Rex,${i % 3}`)}`)).toEqual({ name: 'Name' })
    expect(await guessOf(`Name,Species\n${many((i) => `Rex,Species ${String.fromCharCode(65 + i)}`)}`)).toEqual({
      name: 'Name',
    })
    expect(await guessOf('Name,Type\nRex,Stray\nTom,Stray')).toEqual({ name: 'Name', category: ['ask', 'Type'] })
  })

  test('takes an Animal as its kind if a value of it is one, and else as its name', async () => {
    expect(await guessOf('Animal,Nombre\nPerro,Rex\nGato,Mia')).toEqual({ category: 'Animal', name: 'Nombre' })
    expect(await guessOf('Animal,Species\nRex,Dog\nMia,Cat')).toEqual({ name: 'Animal', category: 'Species' })
  })

  test('takes no numbers that repeat, as in a log of visits', async () => {
    expect(await guessOf(`Animal ID,Name\n${many((i) => `A${i % 19},Rex`)}`)).toEqual({
      name: 'Name',
      repeatedNumber: 'Animal ID',
    })
  })

  test('asks for the name in a list that has the names of owners, too', async () => {
    expect(await guessOf('Name;Vorname;Hund;Rasse\nMuster;Klaus;Bello;Labrador')).toMatchObject({
      name: ['ask', 'Name', 'Hund'],
    })
    expect(await guessOf('Imię;Nazwisko;Pies\nJan;Nowak;Azor')).toEqual({ name: ['ask', 'Imię', 'Pies'] })
    expect(await guessOf('Nom;Prénom;Nom du chien\nDupont;Luc;Rex')).toMatchObject({
      name: ['ask', 'Nom', 'Nom du chien'],
    })
    expect(await guessOf('First name,Last name,Dog\nAnn,Smith,Rex')).toEqual({ name: 'Dog' })
    expect(await guessOf('Animal,Species,Dogs,Cats\nRex,Dog,yes,no')).toEqual({ name: 'Animal', category: 'Species' })
  })

  test('finds a status by its words in the whole file, and never in names or in states of the USA', async () => {
    const late = `Name,Category,State,Stage\n${many(() => 'Rex,Dog,OR,', 20_000)}\nTom,Cat,Ohio,sold out`
    expect(await guessOf(late)).toEqual({ name: 'Name', category: 'Category', status: 'Stage' })
    expect(await guessOf('Name,Category\nHold,Dog')).toEqual({ name: 'Name', category: 'Category' })
    expect(await guessOf('Name,Category,State\nRex,Dog,IN\nTom,Cat,Ohio')).toEqual({
      name: 'Name',
      category: 'Category',
    })
  })

  test('takes answers as a status only in a column that asks for one', async () => {
    const guess = await guessOf('Name,Category,Vaccinated,Adopted\nRex,Dog,yes,no\nTom,Cat,no,yes')
    expect(guess).toEqual({ name: 'Name', category: 'Category', status: 'Adopted' })
  })
})
