/**
 * Names of databases and topics that nobody else has. A run on somebody's own servers (services/certify) says what they begin with, so that it finds all of them again: `TEST_DATABASE_PREFIX`,
 * and KAFKA_TOPIC_PREFIX among the settings of `TEST_SERVICE_ENV`, which is what a service is told of a given Kafka beside its address.
 */
import { randomBytes } from 'node:crypto'
import { topicsWith, type Topics } from '../../src/jobs/topics.js'

export const ownDatabaseName = (of: 'test' | 'service'): string => `${process.env['TEST_DATABASE_PREFIX'] ?? ''}${of}_${randomBytes(6).toString('hex')}`

export const givenServiceEnvironment = (): NodeJS.ProcessEnv => JSON.parse(process.env['TEST_SERVICE_ENV'] ?? '{}') as NodeJS.ProcessEnv

/** Those of a service on the given Kafka. */
export const givenTopics = (): Topics => topicsWith(givenServiceEnvironment()['KAFKA_TOPIC_PREFIX'] ?? '')
