/** Draws flat shapes with smooth edges into a picture, as a JPEG. */

/** A shape in one colour, in a picture of 400 × 300. */
export interface Shape {
  /** Such as `#c98a4b`. */
  readonly fill: string
  /** How far a point is outside of the shape, negative inside. It is exact at the edge, and nowhere too much. */
  readonly distance: (x: number, y: number) => number
  /** The sides of a box around the shape. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number]
}

const width = 400

/** An oval around its middle; `turn` is in degrees, clockwise. */
export function oval(
  fill: string,
  middleX: number,
  middleY: number,
  radiusX: number,
  radiusY: number,
  turn = 0,
): Shape {
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)]
  const reachX = Math.hypot(radiusX * cos, radiusY * sin)
  const reachY = Math.hypot(radiusX * sin, radiusY * cos)
  return {
    fill,
    box: [middleX - reachX, middleY - reachY, middleX + reachX, middleY + reachY],
    distance(x, y) {
      const [fromX, fromY] = [x - middleX, y - middleY]
      const along = (fromX * cos + fromY * sin) / radiusX
      const across = (fromY * cos - fromX * sin) / radiusY
      const length = Math.sqrt(along ** 2 + across ** 2)
      const least = (length - 1) * Math.min(radiusX, radiusY)
      if (Math.abs(least) > 1) return least
      const slope = Math.sqrt((along / radiusX) ** 2 + (across / radiusY) ** 2)
      return Math.min(Math.max((length * (length - 1)) / slope, -1), 1)
    },
  }
}

/** A polygon, or a line between two points such as `200,104 200,126`, which extends `round` beyond its corners. */
export function path(fill: string, round: number, points: string): Shape {
  const corners = points.split(' ').map((point) => {
    const [x = 0, y = 0] = point.split(',').map(Number)
    return [x, y] as const
  })
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  const edges = corners.map((corner, i) => [corners.at(i - 1) ?? corner, corner] as const)
  return {
    fill,
    box: [Math.min(...xs) - round, Math.min(...ys) - round, Math.max(...xs) + round, Math.max(...ys) + round],
    distance(x, y) {
      let nearest = Number.POSITIVE_INFINITY
      let isInside = false
      for (const [[fromX, fromY], [toX, toY]] of edges) {
        const [edgeX, edgeY] = [toX - fromX, toY - fromY]
        const share = ((x - fromX) * edgeX + (y - fromY) * edgeY) / (edgeX ** 2 + edgeY ** 2)
        const on = Math.min(Math.max(share, 0), 1)
        nearest = Math.min(nearest, (x - fromX - edgeX * on) ** 2 + (y - fromY - edgeY * on) ** 2)
        if (fromY > y !== toY > y && x < fromX + (edgeX * (y - fromY)) / edgeY) isInside = !isInside
      }
      return (isInside ? -1 : 1) * Math.sqrt(nearest) - round
    },
  }
}

/** A shape, and its mirror image on the other side of the picture. */
export function twice(shape: Shape): Shape[] {
  const { fill, box, distance } = shape
  const [left, top, right, bottom] = box
  const mirrored = (x: number, y: number) => distance(width - x, y)
  return [shape, { fill, box: [width - right, top, width - left, bottom], distance: mirrored }]
}

/** The part of a picture that is drawn: so many pixels for each unit, from a point. */
interface View {
  readonly scale: number
  readonly left: number
  readonly top: number
}

const [columns, rows] = [640, 480]
const whole: View = { scale: columns / width, left: 0, top: 0 }

/** The middle of a picture, larger. */
export const closeUp: View = { scale: 2.4, left: 67, top: 62 }

/** Draws the shapes one upon the other, as a JPEG of 640 × 480. */
export async function drawPicture(background: string, shapes: readonly Shape[], view = whole): Promise<Uint8Array> {
  const bitmap = createBitmap(columns, rows, background)
  for (const shape of shapes) paint(bitmap, shape, view)
  return await new Bun.Image(bitmap.file).jpeg({ quality: 95 }).bytes()
}

type Bitmap = ReturnType<typeof createBitmap>

/** A file in the format BMP, which Bun reads, with its rows from the bottom to the top. `at` is the place of a pixel. */
export function createBitmap(columns: number, rows: number, background: string) {
  const header = 54
  const rowBytes = Math.ceil((columns * 3) / 4) * 4
  const file = Buffer.alloc(header + rowBytes * rows)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(header, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(columns, 18)
  file.writeInt32LE(rows, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  const at = (x: number, y: number) => header + rowBytes * (rows - 1 - y) + x * 3
  const colour = blueGreenRed(background)
  for (let y = 0; y < rows; y++) file.fill(colour, at(0, y), at(columns, y))
  return { file, at }
}

function blueGreenRed(colour: string): Uint8Array {
  return Uint8Array.fromHex(colour.slice(1)).reverse()
}

function paint({ file, at }: Bitmap, { fill, box, distance }: Shape, { scale, left, top }: View): void {
  const colour = blueGreenRed(fill)
  const first = (side: number) => Math.max(Math.floor(side * scale) - 1, 0)
  const [startX, startY] = [first(box[0] - left), first(box[1] - top)]
  const endX = Math.min(Math.ceil((box[2] - left) * scale) + 1, columns)
  const endY = Math.min(Math.ceil((box[3] - top) * scale) + 1, rows)
  for (let y = startY; y < endY; y++) {
    for (let x = startX; x < endX; ) {
      const outside = distance((x + 0.5) / scale + left, (y + 0.5) / scale + top) * scale
      // The edge is further away than the pixels that follow: they are all inside, or all outside.
      const next = Math.min(x + Math.max(Math.round(Math.abs(outside)), 1), endX)
      if (outside <= -0.5) file.fill(colour, at(x, y), at(next, y))
      else if (outside < 0.5) blend(file, at(x, y), colour, 0.5 - outside)
      x = next
    }
  }
}

function blend(file: Buffer, at: number, colour: Uint8Array, share: number): void {
  for (let i = 0; i < colour.length; i++) {
    const before = file[at + i] ?? 0
    file[at + i] = before + ((colour[i] ?? 0) - before) * share
  }
}
