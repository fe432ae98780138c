/** GraphQL multipart requests by hand, right and wrong ones. */
export interface Part { name: string, content: string | Buffer, filename?: string }

const boundary = 'form-boundary'
export const multipartHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` }

export const multipartBody = (parts: Part[]): Buffer => Buffer.concat([
  ...parts.flatMap(({ name, content, filename }) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"\r\ncontent-type: application/pdf`}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n')
  ]),
  Buffer.from(`--${boundary}--\r\n`)
])

export const uploadMutation = `mutation ($file: Upload!, $externalId: String!, $name: String!) {
  uploadSizeChartPdf(externalId: $externalId, name: $name, file: $file) { id externalId name source status body sourceUrl pdfUrl conversionError }
}`

export const uploadForm = (externalId: string, file: string | Buffer, { map = { 0: ['variables.file'] }, variables = {}, query = uploadMutation } = {}): Part[] => [
  { name: 'operations', content: JSON.stringify({ query, variables: { file: null, externalId, name: externalId, ...variables } }) },
  { name: 'map', content: JSON.stringify(map) },
  { name: '0', content: file, filename: 'chart.pdf' }
]
