/** What stands in the place of figures that may not be seen: the API's own sentence. */
export const Refused = ({ title, message }: { title: string, message: string | undefined }) => <section><h2>{title}</h2><p class='quiet'>{message}</p></section>
