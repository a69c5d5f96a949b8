/** Reads octets and domain names of one DNS message. No read can go beyond the end of the message. */

/** A message that violates RFC 1035. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

// A name has at most 127 labels, and so needs at most as many pointers.
const maximumPointers = 127
const maximumNameOctets = 255

export class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get atEnd(): boolean {
    return this.offset === this.#bytes.length
  }

  octet(): number {
    return this.octets(1)[0] ?? 0
  }

  uint16(): number {
    const at = this.#advance(2)
    return this.#view.getUint16(at)
  }

  uint32(): number {
    const at = this.#advance(4)
    return this.#view.getUint32(at)
  }

  octets(length: number): Uint8Array {
    const at = this.#advance(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** Octets as text: UTF-8 if they are valid UTF-8. */
  text(length: number): string {
    return new TextDecoder().decode(this.octets(length))
  }

  /** A name, compressed or not (RFC 1035, section 4.1.4), in the form of zone files without the final dot. */
  name(): string {
    return this.nameAsSent().replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  }

  /** Like `name`, in the case of the message. */
  nameAsSent(): string {
    const labels: string[] = []
    let octets = 1
    let pointers = 0
    let resumeAt: number | undefined
    let segmentStart = this.offset
    for (let length = this.octet(); length !== 0; length = this.octet()) {
      if (length >= 0xc0) {
        const target = ((length & 0x3f) << 8) | this.octet()
        resumeAt ??= this.offset
        pointers += 1
        // A pointer must point to an earlier place than the labels before it, which excludes loops.
        if (target >= segmentStart || pointers > maximumPointers) throw new MalformedMessage('bad pointer')
        segmentStart = target
        this.offset = target
        continue
      }
      if (length > 63) throw new MalformedMessage('bad label')
      octets += length + 1
      if (octets > maximumNameOctets) throw new MalformedMessage('name too long')
      labels.push(escapeLabel(this.octets(length)))
    }
    if (resumeAt !== undefined) this.offset = resumeAt
    return labels.join('.')
  }

  #advance(length: number): number {
    const at = this.offset
    if (at + length > this.#bytes.length) throw new MalformedMessage('message ends early')
    this.offset = at + length
    return at
  }
}

/** Escapes dots and spaces inside a label, which otherwise look like its end. */
function escapeLabel(octets: Uint8Array): string {
  let label = ''
  for (const octet of octets) {
    const character = String.fromCharCode(octet)
    label += /[\w*/+:=@~-]/.test(character) ? character : `\\${String(octet).padStart(3, '0')}`
  }
  return label
}
