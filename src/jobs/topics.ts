/** Kafka topics; each is read by one consumer group of the same name (spec/operations.md). */
export const productImports = 'catalog.product-imports'
export const sizeChartConversions = 'catalog.size-chart-conversions'
