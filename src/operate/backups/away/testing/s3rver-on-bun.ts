/** Corrects what s3rver does differently from S3, or cannot do on Bun. To be imported before it. */

import crypto from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import v4 from '@20minutes/s3rver/lib/signature/v4.js'
import utils from '@20minutes/s3rver/lib/utils.js'

/** Its tokens of pages are encrypted with DES, which Bun does not have. */
const { createCipheriv, createDecipheriv } = crypto
const twice = (bytes: Uint8Array) => Buffer.concat([bytes, bytes])
for (const [name, create] of Object.entries({ createCipheriv, createDecipheriv })) {
  Object.assign(crypto, {
    [name]: (cipher: string, key: Uint8Array, iv: Uint8Array, ...rest: []) =>
      cipher === 'des' ? create('aes-128-ctr', twice(key), twice(iv)) : create(cipher, key, iv, ...rest),
  })
}

/** The signature of a bucket alone has the slash that clients sign. */
const { getStringToSign } = v4
v4.getStringToSign = (request, signature) =>
  getStringToSign({ ...request, uri: /^\/[^/]+$/.test(request.uri) ? `${request.uri}/` : request.uri }, signature)

/** Pages are in the order of names. */
utils.walk = function* walk(directory, isWanted) {
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name)
    if (!statSync(path).isDirectory()) yield path
    else if (!isWanted || isWanted(path)) yield* utils.walk(path, isWanted)
  }
}
