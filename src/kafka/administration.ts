/**
 * What an administrator runs where the service may not make its topics itself, or lacks a right: lines for Kafka's own command lines, each
 * of which may be run again without harm (docs/operations.md, "Kafka's rights").
 */

export interface AdministrationOptions {
  brokers: string
  /** Whom rights are given, such as `User:catalog`. */
  principal: string
}

/** So many workers can share the vendors out; the service asks for more itself where it may. */
const partitions = 64

export interface Administration {
  createTopic (topic: string): string
  alterTopic (topic: string, partitions: number): string
  /** To send, which API and worker do. */
  allowWriting (topics: readonly string[]): string
  /** To read as the group of the same name, which the worker does. */
  allowReading (topics: readonly string[]): string
}

export function createAdministration ({ brokers, principal }: AdministrationOptions): Administration {
  const server = `--bootstrap-server ${brokers} --command-config admin.properties`
  const named = (option: string, names: readonly string[]): string => names.map((name) => `${option} ${name}`).join(' ')
  const allow = `kafka-acls ${server} --add --allow-principal ${quoted(principal)}`
  return {
    createTopic: (topic) => `kafka-topics ${server} --create --if-not-exists --topic ${topic} --partitions ${partitions}`,
    alterTopic: (topic, count) => `kafka-topics ${server} --alter --topic ${topic} --partitions ${count}`,
    allowWriting: (topics) => `${allow} --operation Write ${named('--topic', topics)}`,
    allowReading: (topics) => `${allow} --operation Read ${named('--topic', topics)} ${named('--group', topics)}`
  }
}

/** For a shell; a certificate's subject has spaces. */
const quoted = (text: string): string => /^[\w:.@-]+$/.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`
