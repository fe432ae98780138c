/** The numbers of a period. One that may not be seen says so; it is not shown as nothing. */
import type { StatisticsQuery } from '../api/operations.js'
import { wordDecimal, wordDuration, wordMoney, wordSum, wordNumber, wordPercent, wordScore } from '../ui/format.js'
import { CsvButton } from '../ui/csv-button.js'
import { Link } from '../ui/link.js'
import { Pending } from '../ui/states.js'
import { behind, type FiguresOf } from './behind.js'

export type Statistics = NonNullable<StatisticsQuery['vendorById']>['conversationAggregateStatistics']
/** Conversations with a rating of that kind; null: not known yet. */
export interface NpsFigures { npsPositive: number | null, npsNegative: number | null }
type Field = keyof (Statistics & NpsFigures)
type Kind = Record<string, string>

const seconds = (value: number | null): string => wordDuration(value === null ? null : value * 1_000)

const hoursOfMinutes = (value: number | null): string => wordDecimal(value === null ? null : value / 60)

const [ai, human, attributed] = [{ expertChatType: 'AI' }, { expertChatType: 'HasHuman' }, { conversionStatus: 'Attributed' }]

/** `kind`: of the conversations that it is made of; none where it is made of something else. */
const groups: Array<[title: string, figures: Array<[field: Field, title: string, word: (value: number | null) => string, kind?: Kind]>, note?: string]> = [
  ['Conversations', [
    ['numberOfChats', 'All', wordNumber, {}],
    ['numberOfAIChats', 'By AI alone', wordNumber, ai],
    ['numberOfHumanChats', 'With an expert', wordNumber, human],
    ['automationRate', 'Automation rate', wordPercent, ai],
    ['csatScore', 'CSAT, of 5', wordScore, {}],
    ['npsPositive', 'NPS of 9 and 10', wordNumber, { npsRating: 'Positive' }],
    ['npsNegative', 'NPS of 6 and less', wordNumber, { npsRating: 'Negative' }]
  ]],
  ['Sales', [
    ['totalValueOfConversationsAttributedToChat', 'Attributed to chat', wordSum, attributed],
    ['totalValueOfConversationsAttributedToAIChat', 'To AI', wordSum, { ...attributed, ...ai }],
    ['totalValueOfConversationsAttributedToHumanChat', 'To experts', wordSum, { ...attributed, ...human }],
    ['numberOfConversionsAttributed', 'Attributed orders', wordNumber, attributed],
    ['conversionRateForChatters', 'Chatters who order', wordPercent, {}],
    ['conversionRateForNonChatters', 'Others who order', wordPercent],
    ['aovForChatters', 'Chatters\' average order', wordMoney, {}],
    ['aovForNonChatters', 'Others\' average order', wordMoney]
  ], 'The others have never chatted: there are no conversations behind their figures.'],
  ['Time', [
    ['medianJoinTime', 'Median until joined', seconds, human],
    ['averageExpertResponseTime', 'Average expert answer', seconds, human],
    ['totalManHoursSpentInChat', 'Expert hours', wordDecimal, human],
    ['minutesSavedByRemark', 'Hours saved by AI', hoursOfMinutes, ai]
  ]]
]

interface FiguresProps {
  statistics: Statistics & NpsFigures
  /** Fields that come later. */
  pending: ReadonlySet<string>
  refused: ReadonlyMap<string, string>
  of: FiguresOf
}

export function Figures ({ statistics, pending, refused, of }: FiguresProps) {
  return (
    <>
      {groups.map(([title, figures, note]) => (
        <section key={title}>
          <div class='row' style='justify-content:space-between;margin-bottom:8px'>
            <h2>{title}</h2>
            <CsvButton name={title.toLowerCase()} head={['figure', 'value']} rows={figures.map(([field, label]) => [label, refused.has(field) ? refused.get(field) : statistics[field] as number | null])} />
          </div>
          <dl class='facts'>
            {figures.map(([field, label, word, kind]) => (
              <div key={field}>
                <dt>{label}</dt>
                {refused.has(field)
                  ? <dd class='quiet small'>{refused.get(field)}</dd>
                  : <dd class='large'>{pending.has(field) ? <Pending /> : kind === undefined || statistics[field] === null ? word(statistics[field] as number | null) : <Link to={behind(of, kind)}>{word(statistics[field] as number | null)}</Link>}</dd>}
              </div>
            ))}
          </dl>
          {note !== undefined && <p class='quiet small' style='margin-top:8px'>{note}</p>}
        </section>
      ))}
    </>
  )
}
