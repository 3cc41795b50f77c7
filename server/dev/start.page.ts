import { environments } from '#platform/ctx.ts';
import { html, type NavLink, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { get, type Routes } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import { currentView, statusSentence } from '#status';
import { demoOrganizations } from './dev-app.ts';

/** Links of the console host's pages. */
export function consoleNav(system: System): NavLink[] {
  const links = [
    { href: '/', label: 'Start' },
    { href: '/console/', label: 'Console' },
    { href: '/docs/', label: 'Documentation' },
    { href: '/docs/reference/', label: 'Reference' },
  ];
  return system.config.mode === 'development' ? [...links, { href: '/dev/inbox', label: 'Dev inbox' }] : links;
}

export const startPageRoutes: Routes = [get('/', { permission: 'public', handler: startPage })];

async function startPage({ server: { system } }: Request, reply: Reply): Promise<Reply> {
  const isDemo = system.config.mode === 'development';
  const organizations = isDemo ? await demoOrganizations(system) : [];
  const cards = environments.map((environment) => {
    const { auth, api } = system.config.addresses[environment];
    const view = currentView(system, environment);
    return html`<section class="card"><h2>${environment === 'test' ? 'Test' : 'Production'} environment</h2>
<p><span class="dot${view.affected.length === 0 ? '' : ' bad'}"></span>${statusSentence(view)}</p>
<dl><dt>Auth host</dt><dd>${auth}</dd>
<dt>API host</dt><dd>${api}</dd></dl></section>`;
  });
  return sendPage(reply, {
    title: 'Start',
    nav: consoleNav(system),
    body: html`<h1>Latchkey is running</h1><p class="soft">Sign-up, sign-in, sessions, roles and status of your products.</p>
<div class="grid">${cards}</div>
${isDemo ? gettingStarted(organizations) : ''}`,
  });
}

const gettingStarted = (
  organizations: readonly { name: string; slug: string }[],
) => html`<section class="card"><h2>First steps</h2>
<p>Configure everything as the demo's operator. The first start printed the email address and password.</p>
<p><a href="/console/">Open the console</a></p>
<p>Try the hosted sign-in: register, sign in, or use the offline provider, and see the tokens and claims that an application gets.</p>
<p><a href="/dev/app">Sign in to the demo application</a></p>
${organizations.map(({ name, slug }) => html`<p><a href="/dev/app?organization=${slug}">Sign in to ${name}</a>, an organization of the demo’s owner</p>`)}
<p>Run a complete example, from registering a customer to a revoked token, with every request and response:</p>
<pre>npx latchkey quickstart</pre>
<p></p><p>Ids and credentials of the demo workspace are in <code>demo.json</code> in the data folder. Mails that Latchkey sends appear in the <a href="/dev/inbox">dev inbox</a>.</p></section>`;
