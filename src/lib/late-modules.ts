/**
 * Modules of Node.js that a start does not need. They are loaded when they are first used, because together they take 2
 * to 4 ms of the main thread.
 */

import { getBuiltinModule } from 'node:process'

export const nodeCrypto = () => getBuiltinModule('node:crypto')
export const nodeNet = () => getBuiltinModule('node:net')
export const nodeTls = () => getBuiltinModule('node:tls')
export const nodeZlib = () => getBuiltinModule('node:zlib')
