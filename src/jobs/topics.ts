/** Kafka topics; each is read by one consumer group of the same name (spec/operations.md). */
export const productImports = 'catalog.product-imports'
export const sizeChartConversions = 'catalog.size-chart-conversions'
export const analyticsRecords = 'catalog.analytics-records'

export type Topics = Readonly<Record<'productImports' | 'sizeChartConversions' | 'analyticsRecords', string>>

/** By the names that they have at the brokers. */
export const topicsWith = (prefix: string): Topics => ({
  productImports: `${prefix}${productImports}`,
  sizeChartConversions: `${prefix}${sizeChartConversions}`,
  analyticsRecords: `${prefix}${analyticsRecords}`
})

/**
 * Beyond that many vendors some share a partition, which costs them nothing but being shared out one by one; more partitions
 * would cost every broker and every worker (docs/scale.md).
 */
export const maxPartitions = 1_024
