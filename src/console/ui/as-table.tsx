import type { ComponentChildren } from 'preact'

/** What a picture shows, for everybody: the table's head and body are the children. */
export function AsTable ({ title, children }: { title: string, children: ComponentChildren }) {
  return (
    <details class='small'>
      <summary>{title} as a table</summary>
      <div class='table' role='region' aria-label={title} tabIndex={0}>
        <table class='figures'>{children}</table>
      </div>
    </details>
  )
}
