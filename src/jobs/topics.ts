/** Kafka topics; each is read by one consumer group of the same name (spec/operations.md). */
export const productImports = 'catalog.product-imports'
export const sizeChartConversions = 'catalog.size-chart-conversions'
export const analyticsRecords = 'catalog.analytics-records'

/**
 * Beyond that many vendors some share a partition, which costs them nothing but being shared out one by one; more partitions
 * would cost every broker and every worker (docs/scale.md).
 */
export const maxPartitions = 1_024
