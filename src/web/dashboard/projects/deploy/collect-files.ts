/** The files of a dropped or chosen folder, with their paths in the website. */

export interface SiteFile {
  /** With slashes, without a leading one. */
  readonly path: string
  readonly file: File
}

/** Archives are sent as they are. */
export const isArchive = (name: string): boolean => /\.(zip|tgz|tar\.gz)$/i.test(name)

/** The files of a drop, also of folders in it. */
export async function filesOfDrop(items: DataTransferItemList): Promise<readonly SiteFile[]> {
  // The entries are gone after the first pause.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const found: SiteFile[] = []
  for (const entry of entries) await collect(entry, '', found)
  return withoutTopFolder(found)
}

/** The files of an `<input type="file">`, with or without folders. */
export function filesOfInput(files: FileList): readonly SiteFile[] {
  return withoutTopFolder([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })))
}

async function collect(entry: FileSystemEntry, folder: string, found: SiteFile[]): Promise<void> {
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (entry instanceof FileSystemFileEntry || entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.push({ path, file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A reader gives at most 100 entries at once.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const one of some) await collect(one, path, found)
  }
}

/** A dropped folder is the website itself, not a folder in it. */
function withoutTopFolder(files: readonly SiteFile[]): readonly SiteFile[] {
  const [top] = files[0]?.path.split('/') ?? []
  const isShared = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`))
  const stripped = isShared ? files.map(({ path, file }) => ({ path: path.slice(`${top}/`.length), file })) : files
  return stripped.filter(({ path }) => isPublished(path))
}

/** Hidden files are not part of a website, except those below .well-known (RFC 8615). */
function isPublished(path: string): boolean {
  return path.split('/').every((name, index) => !name.startsWith('.') || (index === 0 && name === '.well-known'))
}
