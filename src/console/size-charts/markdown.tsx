/**
 * Markdown of size charts as elements: the parser's tokens become elements here, and nothing becomes HTML. Raw HTML in it is shown as the text
 * that it is; links lead to the web alone.
 */
import { lexer, type Token, type Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { webAddress } from '../catalog/product-text.js'

export function Markdown ({ text }: { text: string }) {
  return <div class='markdown wrap'>{blocks(lexer(text, { gfm: true }))}</div>
}

const blocks = (tokens: readonly Token[]): ComponentChildren => tokens.map((token, index) => <Block key={index} token={token} />)

function Block ({ token }: { token: Token }) {
  switch (token.type) {
    case 'space': return null
    case 'heading': return <h3>{inline((token as Tokens.Heading).tokens)}</h3>
    case 'paragraph': return <p>{inline((token as Tokens.Paragraph).tokens)}</p>
    case 'text': return <>{inline((token as Tokens.Text).tokens ?? [token])}</>
    case 'code': return <pre>{(token as Tokens.Code).text}</pre>
    case 'hr': return <hr />
    case 'blockquote': return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>
    case 'list': {
      const { ordered, items } = token as Tokens.List
      const children = items.map((item, index) => <li key={index}>{blocks(item.tokens)}</li>)
      return ordered ? <ol>{children}</ol> : <ul>{children}</ul>
    }
    case 'table': return <Table table={token as Tokens.Table} />
    default: return <p>{token.raw}</p>
  }
}

function Table ({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <div class='table' role='region' aria-label='Sizes' tabIndex={0}>
      <table>
        <thead><tr>{header.map(({ tokens }, index) => <th key={index} scope='col'>{inline(tokens)}</th>)}</tr></thead>
        <tbody>{rows.map((row, at) => <tr key={at}>{row.map(({ tokens }, index) => <td key={index}>{inline(tokens)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  )
}

function inline (tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, index) => {
    switch (token.type) {
      case 'strong': return <strong key={index}>{inline((token as Tokens.Strong).tokens)}</strong>
      case 'em': return <em key={index}>{inline((token as Tokens.Em).tokens)}</em>
      case 'del': return <s key={index}>{inline((token as Tokens.Del).tokens)}</s>
      case 'codespan': return <code key={index}>{(token as Tokens.Codespan).text}</code>
      case 'br': return <br key={index} />
      case 'escape': return (token as Tokens.Escape).text
      case 'text': return plain(token as Tokens.Text)
      case 'link': {
        const { href, tokens: label } = token as Tokens.Link
        const address = webAddress(href)
        return address === null ? <>{inline(label)}</> : <a key={index} href={address} rel='noopener noreferrer' target='_blank'>{inline(label)}</a>
      }
      default: return token.raw
    }
  })
}

/** The parser has escaped it for HTML, which this is not. */
const plain = ({ raw }: Tokens.Text): string => raw
