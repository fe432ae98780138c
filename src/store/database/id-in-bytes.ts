const typeOfText = 2
/** Of the document, then a type and a name with its end, then the length of the text. */
const [lengthBytes, headBytes] = [4, 5]

/** The `_id` of a document as the server has encoded it, where that is a text: servers keep it in front, so nothing else is decoded. */
export function idIn (bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengthAt = lengthBytes + headBytes
  if (view[lengthBytes] !== typeOfText || view.toString('latin1', lengthBytes + 1, lengthAt) !== '_id\0') throw new Error('A document does not begin with a text as its _id')
  const from = lengthAt + lengthBytes
  // Its length counts the byte that ends it.
  return view.toString('utf8', from, from + view.readInt32LE(lengthAt) - 1)
}
