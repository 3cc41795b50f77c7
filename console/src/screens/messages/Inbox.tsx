import { Link } from '@tanstack/react-router';
import { useApi } from '#api/scope.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useFilters } from '#ui/search.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { Pager } from '#ui/table.tsx';
import { Time } from '#ui/time.tsx';
import classes from './messages.module.css';

const EVERY_MS = 4_000;

export function Inbox() {
  const [{ cursor, message }] = useFilters();
  const query = { limit: 30, ...(cursor && { cursor }) };
  const inbox = useApi().useQuery('get', '/console/v1/inbox', { params: { query } }, { refetchInterval: EVERY_MS });
  return (
    <Page title="Dev inbox" about="In development, mails and text messages are delivered here instead of being sent.">
      <Card flush>
        <Loaded query={inbox}>
          {({ items, nextCursor }) =>
            items.length === 0 ? (
              <Empty title="No messages yet">
                Register a user or request a sign-in link, and the message appears here.
              </Empty>
            ) : (
              <>
                <div className={classes.inbox}>
                  <ul className={classes.inboxList} aria-label="Messages">
                    {items.map(({ id, to, subject, text, createdAt }) => (
                      <li key={id}>
                        <Link
                          to="."
                          search={{ ...(cursor && { cursor }), message: id }}
                          className={classes.inboxItem}
                          aria-current={id === message ? 'true' : undefined}
                        >
                          {subject || text.slice(0, 60)}
                          <span>
                            {to} <Time at={createdAt} />
                          </span>
                        </Link>
                      </li>
                    ))}
                  </ul>
                  {message ? <Message id={message} /> : <Empty title="Select a message" />}
                </div>
                <Pager nextCursor={nextCursor} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function Message({ id }: { id: string }) {
  const message = useApi().useQuery('get', '/console/v1/inbox/{id}', { params: { path: { id } } });
  return (
    <Loaded query={message}>
      {({ subject, text, html }) => (
        <article aria-label="Message">
          {subject && <div className={classes.subject}>{subject}</div>}
          <pre className={classes.text}>{text}</pre>
          {html && <iframe title="Rendered mail" className={classes.mail} sandbox="allow-popups" srcDoc={html} />}
        </article>
      )}
    </Loaded>
  );
}
