import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { cookieName, cookieOptions, surplusCookies } from '#platform/cookies.ts';
import type { Reply, Request } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';
import type { TextId } from './language-en.ts';
import { type Markup, type Page, renderPage, type Voice } from './layout.ts';

const STEP_SECONDS = 3_600;

/** What went wrong with the form before: the next page shows it once. */
export const StepFault = Type.Object({ code: Type.String(), minutes: Type.Optional(Type.Number()) });

/** How far a person is; every step may say something once. */
type AnyStep = { fault?: Static<typeof StepFault>; notice?: string };

/** Pages of one kind that a browser goes through one after the other, such as a sign-in. */
type Kind<Step> = {
  /** What the steps are sealed for, so that no other secret of the browser passes for one. */
  purpose: string;
  /** @throws for what is no step */
  parse: (value: unknown) => Step;
  /** The text for the code of a problem. */
  faults: Readonly<Record<string, TextId>>;
};

/** Where the pages stand, and whose they are. */
type Place = {
  /** The address of the first page; the other pages follow it. */
  base: string;
  /** The user or sign-in that a step belongs to. */
  owner: string;
  /** The parts of the name of the cookie that keeps the step. */
  cookie: readonly [kind: string, id: string | null];
};

/** One person in one browser on pages that belong together. */
export type BrowserVisit<Step> = { request: Request; reply: Reply; place: Place; voice: Voice; step: Step };

/** The steps between pages of one kind: kept by the browser, encrypted, and left by a redirect. They need no JavaScript. */
export function browserFlow<Step extends AnyStep>({ purpose, parse, faults }: Kind<Step>) {
  type Visit = BrowserVisit<Step>;

  function readStep(request: Request, place: Place): Step {
    const sealed = request.cookies[stepCookie(request, place)];
    if (sealed === undefined) return parse({});
    try {
      return parse(JSON.parse(request.server.system.keyring.open(sealed, purpose, place.owner)));
    } catch {
      // Another owner's, or sealed with a key that is gone: the person begins anew.
      return parse({});
    }
  }

  /** Remembers how far the person is. What is not in `step` is forgotten. */
  function keepStep({ request, reply, place }: Visit, step: object): void {
    const name = stepCookie(request, place);
    const options = cookieOptions(request.address, 'lax');
    if (Object.keys(step).length === 0) {
      reply.clearCookie(name, options);
      return;
    }
    const prefix = stepCookie(request, { ...place, cookie: [place.cookie[0], ''] });
    for (const surplus of surplusCookies(request.headers.cookie, prefix, name)) reply.clearCookie(surplus, options);
    const sealed = request.server.system.keyring.seal(JSON.stringify(step), purpose, place.owner);
    reply.setCookie(name, sealed, { ...options, maxAge: STEP_SECONDS });
  }

  /** Goes on to another page: always with a GET, so that reloading repeats nothing (OA-6). */
  function goTo(visit: Visit, page: string, step: Step = visit.step): Reply {
    keepStep(visit, step);
    return visit.reply.redirect(visit.place.base + page, 303);
  }

  /** Goes back to a page that then shows what was wrong; anything unexpected, and a proof that is missing, is thrown on. */
  function explain(visit: Visit, page: string, error: unknown): Reply {
    if (!(error instanceof Problem) || error.code === 'REAUTHENTICATION_REQUIRED') throw error;
    if (error.status >= 500 && error.code !== 'SERVICE_UNAVAILABLE') throw error;
    const retryAfter = error.extensions['retryAfter'];
    const minutes = typeof retryAfter === 'number' ? Math.max(1, Math.ceil(retryAfter / 60)) : undefined;
    return goTo(visit, page, { ...visit.step, fault: { code: error.code, ...(minutes && { minutes }) } });
  }

  /** What was wrong with the form before; empty when nothing was. */
  function faultOf({ step: { fault }, voice: { say, project } }: Visit): Markup | '' {
    if (!fault) return '';
    const text = say(faults[fault.code] ?? 'fault.invalid', { project, minutes: fault.minutes ?? 1 });
    return html`<p class="fault" role="alert" id="fault">${text}</p>`;
  }

  /** Sends a page. A fault and a notice are shown once. */
  function show(visit: Visit, page: Page): Reply {
    const { fault, notice, ...kept } = visit.step;
    if (fault || notice) keepStep(visit, kept);
    const { document, headers } = renderPage(visit.voice, page);
    return visit.reply
      .code(fault ? 400 : 200)
      .headers(headers)
      .serializer(String)
      .send(document);
  }

  return { readStep, keepStep, goTo, explain, faultOf, show };
}

function stepCookie({ address, server: { host } }: Request, { cookie }: Place): string {
  return cookieName(address, host.environment, ...cookie);
}

/** A form that posts to a page of the visit. */
export function form({ place }: Pick<BrowserVisit<unknown>, 'place'>, page: string, content: Markup): Markup {
  return html`<form method="post" action="${place.base}${page}">${content}</form>`;
}
