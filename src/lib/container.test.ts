import { expect, test } from 'bun:test'
import { containerIdIn } from './container.ts'

const id = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

test('the id of a container is that of the directory from which its engine mounts the name of the host', () => {
  const line = (root: string) =>
    `731 716 254:1 / /proc rw - proc proc rw\n732 716 254:1 ${root} /etc/hostname rw,relatime - ext4 /dev/vda1 rw\n`
  for (const root of [
    `/var/lib/docker/containers/${id}/hostname`,
    `/containers/${id}/hostname`,
    `/home/ada/.local/share/docker/containers/${id}/hostname`,
    `/containers/storage/overlay-containers/${id}/userdata/hostname`,
  ]) {
    expect([root, containerIdIn(line(root))]).toEqual([root, id])
  }
  for (const root of [
    '/etc/hostname',
    `/var/lib/docker/volumes/${id}/hostname`,
    `/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/${id}/hostname`,
    `/var/lib/docker/containers/${id.slice(1)}/hostname`,
  ]) {
    expect([root, containerIdIn(line(root))]).toEqual([root, undefined])
  }
})
