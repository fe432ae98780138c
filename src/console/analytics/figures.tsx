/** The numbers of a period. One that may not be seen says so; it is not shown as nothing. */
import type { ComponentChildren } from 'preact'
import type { StatisticsQuery } from '../api/operations.js'
import { wordDecimal, wordDuration, wordMoney, wordNumber, wordPercent } from '../ui/format.js'
import { CsvButton } from '../ui/csv-button.js'
import { Link } from '../ui/link.js'

export type Statistics = NonNullable<StatisticsQuery['vendorById']>['conversationAggregateStatistics']
type Field = keyof Statistics

const seconds = (value: number | null): string => wordDuration(value === null ? null : value * 1_000)

const hoursOfMinutes = (value: number | null): string => wordDecimal(value === null ? null : value / 60)

const groups: Array<[title: string, figures: Array<[field: Field, title: string, word: (value: number | null) => string, behind?: string]>]> = [
  ['Conversations', [
    ['numberOfChats', 'All', wordNumber, ''],
    ['numberOfAIChats', 'By AI alone', wordNumber, 'expertChatType=AI'],
    ['numberOfHumanChats', 'With an expert', wordNumber, 'expertChatType=HasHuman'],
    ['automationRate', 'Automation rate', wordPercent],
    ['csatScore', 'CSAT, of 5', wordDecimal]
  ]],
  ['Sales', [
    ['totalValueOfConversationsAttributedToChat', 'Attributed to chat', wordMoney, 'conversionStatus=Attributed'],
    ['totalValueOfConversationsAttributedToAIChat', 'To AI', wordMoney],
    ['totalValueOfConversationsAttributedToHumanChat', 'To experts', wordMoney],
    ['numberOfConversionsAttributed', 'Attributed orders', wordNumber, 'conversionStatus=Attributed'],
    ['conversionRateForChatters', 'Chatters who order', wordPercent],
    ['conversionRateForNonChatters', 'Others who order', wordPercent],
    ['aovForChatters', 'Chatters\' average order', wordMoney],
    ['aovForNonChatters', 'Others\' average order', wordMoney]
  ]],
  ['Time', [
    ['medianJoinTime', 'Median until an expert joins', seconds],
    ['averageExpertResponseTime', 'Average expert answer', seconds],
    ['totalManHoursSpentInChat', 'Expert hours', wordDecimal],
    ['minutesSavedByRemark', 'Hours saved by AI', hoursOfMinutes]
  ]]
]

export function Figures ({ statistics, refused }: { statistics: Statistics, refused: ReadonlyMap<string, string> }) {
  return (
    <>
      {groups.map(([title, figures]) => (
        <section key={title}>
          <div class='row' style='justify-content:space-between;margin-bottom:8px'>
            <h2>{title}</h2>
            <CsvButton name={title.toLowerCase()} head={['figure', 'value']} rows={figures.map(([field, label]) => [label, refused.has(field) ? refused.get(field) : statistics[field] as number | null])} />
          </div>
          <dl class='facts'>
            {figures.map(([field, label, word, behind]) => (
              <div key={field}>
                <dt>{label}</dt>
                {refused.has(field)
                  ? <dd class='quiet small'>{refused.get(field)}</dd>
                  : <dd class='large'><Behind filter={behind}>{word(statistics[field] as number | null)}</Behind></dd>}
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  )
}

function Behind ({ filter, children }: { filter: string | undefined, children: ComponentChildren }) {
  return filter === undefined ? <>{children}</> : <Link to={`/conversations${filter === '' ? '' : `?${filter}`}`}>{children}</Link>
}
