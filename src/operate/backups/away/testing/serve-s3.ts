/** Serves a bucket on loopback for programs, and prints the variables with which petstore reaches it. */

import { startS3Server } from './s3-server.ts'

const { variables } = await startS3Server()
console.log(
  Object.entries(variables)
    .map((pair) => pair.join('='))
    .join(' '),
)
