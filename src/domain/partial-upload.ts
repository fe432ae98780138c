/** A file that is being uploaded over HTTP: it grows in the vendor's incoming/ under a name that no import takes, and no list shows. */

export const partialUploadName = (id: string): string => `.upload-${id}`

export const isPartialUploadName = (name: string): boolean => /^\.upload-[0-9a-f-]{36}$/.test(name)
