/** The looks of the animals of the demo store, and a drawing of each in the place of a photo. */

import { closeUp, drawPicture, oval, path, type Shape, twice } from './draw.ts'

/** The categories of the demo store. */
export type Species = 'Dog' | 'Cat' | 'Rabbit' | 'Small animal' | 'Bird' | 'Fish' | 'Reptile'

/** How some animals of a species look. */
export interface Look {
  readonly color: string
  readonly breeds: readonly string[]
  readonly main: string
  readonly dark: string
  readonly light: string
  readonly background: string
}

type Draw = (look: Look) => readonly Shape[]

const black = '#2b2623'
const white = '#fffdf8'
const pink = '#e7a39c'
const orange = '#f0a03c'

const eyes = (x: number, y: number, size: number): Shape[] => [
  ...twice(oval(black, x, y, size, size * 1.15)),
  oval(white, x + size * 0.3, y - size * 0.4, size * 0.32, size * 0.32),
  oval(white, 400 - x + size * 0.3, y - size * 0.4, size * 0.32, size * 0.32),
]

const mouth = (colour: string, y: number): Shape[] => [
  ...twice(path(colour, 2, `200,${y} 189,${y + 7}`)),
  ...twice(path(colour, 2, `189,${y + 7} 178,${y + 2}`)),
]

const drawings: Readonly<Record<Species, Draw>> = {
  Dog: ({ main, dark, light }) => [
    oval(main, 200, 318, 92, 82),
    oval(light, 200, 326, 48, 74),
    oval(main, 200, 152, 80, 84),
    oval(light, 200, 190, 50, 44),
    oval(light, 200, 110, 15, 50),
    ...twice(oval(dark, 120, 142, 27, 66, 14)),
    ...eyes(168, 142, 10),
    oval(pink, 200, 226, 13, 17),
    path(black, 2, '200,180 200,206'),
    ...mouth(black, 207),
    oval(black, 200, 176, 18, 13),
    oval('#6d635d', 195, 171, 5, 3),
  ],
  Cat: ({ main, dark, light }) => [
    oval(main, 200, 330, 86, 90),
    oval(light, 200, 338, 42, 74),
    ...twice(path(main, 8, '130,148 126,74 186,112')),
    ...twice(path(pink, 5, '138,128 135,92 164,112')),
    oval(main, 200, 168, 88, 76),
    path(dark, 5, '200,104 200,126'),
    ...twice(path(dark, 5, '178,108 181,124')),
    ...twice(path(dark, 4, '121,168 138,172')),
    ...twice(path(dark, 4, '125,190 141,188')),
    ...twice(oval(light, 184, 202, 24, 19)),
    ...twice(oval('#b9c94f', 164, 160, 15, 16)),
    ...twice(oval(black, 164, 160, 6, 14)),
    oval(white, 167, 154, 4, 4),
    oval(white, 239, 154, 4, 4),
    path(pink, 3, '192,188 208,188 200,196'),
    ...mouth(black, 202),
    ...twice(path(white, 1.2, '176,200 104,190')),
    ...twice(path(white, 1.2, '176,206 106,212')),
  ],
  Rabbit: ({ main, dark, light }) => [
    oval(main, 200, 334, 80, 80),
    oval(light, 200, 340, 40, 64),
    ...twice(oval(main, 164, 76, 21, 68, -7)),
    ...twice(oval(pink, 164, 80, 10, 50, -7)),
    oval(main, 200, 186, 74, 66),
    ...twice(oval(light, 180, 212, 26, 20)),
    ...eyes(166, 176, 10),
    path(white, 2, '193,222 207,222 207,234 193,234'),
    path(dark, 0.8, '200,221 200,236'),
    ...mouth(dark, 214),
    oval(pink, 200, 204, 10, 7),
  ],
  'Small animal': ({ main, dark, light }) => [
    oval(main, 200, 300, 104, 84),
    oval(light, 200, 306, 62, 66),
    ...twice(oval(dark, 132, 104, 28, 28)),
    ...twice(oval(pink, 134, 108, 17, 17)),
    oval(main, 200, 170, 98, 80),
    oval(light, 200, 118, 18, 40),
    ...twice(oval(light, 152, 200, 46, 36)),
    ...eyes(158, 158, 11),
    ...mouth(dark, 199),
    path(white, 2, '195,204 205,204 205,212 195,212'),
    oval(pink, 200, 186, 11, 8),
    ...twice(oval(pink, 170, 262, 15, 11, 20)),
  ],
  Bird: ({ main, dark, light }) => [
    path('#8a6547', 6, '40,274 360,274'),
    path(dark, 14, '200,232 200,300'),
    path(dark, 5, '200,92 188,66'),
    path(dark, 5, '200,92 206,60'),
    oval(main, 200, 178, 74, 92),
    oval(light, 200, 208, 48, 58),
    ...twice(oval(dark, 130, 198, 24, 60, 12)),
    ...twice(oval(white, 172, 136, 19, 20)),
    ...eyes(174, 137, 10),
    path(orange, 4, '186,160 214,160 200,182'),
    ...twice(path(orange, 6, '178,266 178,274')),
  ],
  Fish: ({ main, dark, light }) => [
    path(dark, 12, '268,162 334,112 318,162 334,212'),
    path(dark, 9, '150,116 214,80 232,122'),
    path(dark, 8, '176,214 214,238 222,206'),
    oval(main, 184, 164, 102, 60),
    oval(light, 178, 194, 70, 26),
    oval(light, 214, 160, 10, 46),
    oval(light, 248, 162, 8, 34),
    path(dark, 6, '176,168 204,178 180,190'),
    oval(white, 128, 148, 19, 19),
    oval(black, 124, 149, 11, 12),
    oval(white, 121, 144, 4, 4),
    path(dark, 2.5, '88,184 104,178'),
    oval(white, 72, 118, 9, 9),
    oval(white, 58, 88, 6, 6),
    oval(white, 80, 64, 12, 12),
  ],
  Reptile: ({ main, dark, light }) => [
    path('#9c8a62', 10, '30,262 370,262'),
    path(main, 8, '96,220 66,236'),
    path(main, 19, '290,196 322,152'),
    oval(main, 330, 140, 36, 30),
    oval(black, 340, 131, 7, 8),
    oval(white, 342, 128, 2.5, 2.5),
    path(dark, 2, '340,152 358,148'),
    oval(main, 138, 236, 25, 28),
    oval(main, 252, 236, 25, 28),
    oval(dark, 194, 178, 106, 80),
    oval(light, 194, 232, 94, 24),
    path(light, 14, '104,218 284,218'),
    path(main, 5, '170,120 218,120 234,158 194,184 154,158'),
    path(main, 5, '126,152 140,170 128,194 108,194'),
    path(main, 5, '154,176 186,196 152,196'),
    path(main, 5, '262,152 248,170 260,194 280,194'),
    path(main, 5, '234,176 204,196 236,196'),
  ],
}

const look = (color: string, breeds: readonly string[], colours: string): Look => {
  const [main = '', dark = '', light = '', background = ''] = colours.split(' ')
  return { color, breeds, main, dark, light, background }
}

/** The looks of each species: the colours are the main one, a dark one, a light one and the background. */
export const looks: Readonly<Record<Species, readonly Look[]>> = {
  Dog: [
    look('Golden', ['Golden Retriever', 'Labrador Retriever', 'Mixed breed'], '#dba55e #b57a35 #f6e2bd #9fc3b5'),
    look('Brown', ['Dachshund', 'Boxer', 'Mixed breed'], '#8d5f3f #5f3d28 #e3c6a2 #f0cf8e'),
    look('Black and white', ['Border Collie', 'Boston Terrier', 'Mixed breed'], '#43403f #2a2827 #f4efe8 #c9dcea'),
  ],
  Cat: [
    look('Red tabby', ['Domestic Shorthair', 'Maine Coon'], '#e09a52 #b56a2a #fbe6c8 #a9c9d8'),
    look('Gray', ['Russian Blue', 'British Shorthair'], '#8f9aa6 #66717d #dfe5ea #f2d7a6'),
    look('Black', ['Domestic Shorthair', 'Bombay'], '#47444a #2c2a2f #8d8891 #d9c3dd'),
  ],
  Rabbit: [
    look('White', ['Netherland Dwarf', 'Polish'], '#f3ece2 #8d7a6b #fffdf8 #b7cfa6'),
    look('Brown', ['Rex', 'Holland Lop'], '#a9795a #5d3f2d #ecd3bd #e6bfb4'),
  ],
  'Small animal': [
    look('Golden', ['Syrian hamster'], '#e3ac66 #a8743a #fdeed6 #9fc9c4'),
    look('Brown and white', ['Guinea pig'], '#9d6b49 #6b452d #f7eadb #f0d08c'),
  ],
  Bird: [
    look('Yellow', ['Canary', 'Cockatiel'], '#f2cf4f #c79a26 #fdf0b4 #a6cbe0'),
    look('Blue', ['Budgerigar', 'Parrotlet'], '#5c9fd2 #35699c #d6e9f5 #f3cdb4'),
  ],
  Fish: [look('Orange', ['Goldfish'], '#f08a3c #c95f1e #fde0b0 #7fb7d1')],
  Reptile: [look('Green', ['Red-eared slider'], '#8fb261 #4f6f3a #d8d79a #f1ddb0')],
}

/** Drawings of an animal with a look, as JPEGs: the animal, and for some its face. */
export async function drawAnimal(species: Species, look: Look): Promise<Uint8Array[]> {
  const circle = oval(lighter(look.background), 200, 160, 138, 138)
  const shapes = [circle, ...drawings[species](look)]
  const animal = await drawPicture(look.background, shapes)
  const hasFace = species === 'Dog' || species === 'Cat'
  return hasFace ? [animal, await drawPicture(look.background, shapes, closeUp)] : [animal]
}

/** A colour half way to white. */
function lighter(colour: string): string {
  const rgb = Number.parseInt(colour.slice(1), 16)
  return `#${(((rgb >> 1) & 0x7f_7f_7f) + 0x80_80_80).toString(16)}`
}
