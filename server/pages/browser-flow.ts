import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { cookieName, cookieOptions, framedCookieOptions, surplusCookies } from '#platform/cookies.ts';
import type { Reply, Request } from '#platform/http.ts';
import { noteProblem } from '#platform/http-errors.ts';
import { Problem, problems } from '#platform/problem.ts';
import type { TextId } from './language-en.ts';
import { type Markup, type Page, type Preview, renderPage, type Voice } from './layout.ts';
import { plainIfAsked } from './plain.ts';

const STEP_SECONDS = 3_600;

/** The fault of the submitted form; the next page shows it once. */
export const StepFault = Type.Object({
  code: Type.String(),
  minutes: Type.Optional(Type.Number()),
  /** The words of the project, in place of ours. */
  message: Type.Optional(Type.String()),
});

/** The state of a flow. A fault or a notice is shown once. */
type AnyStep = { fault?: Static<typeof StepFault>; notice?: string };

/** A kind of flow through pages, such as a sign-in. */
type Kind<Step> = {
  /** The purpose that steps are sealed for, so that no other sealed value passes for a step. */
  purpose: string;
  /** @throws Error for a value that is not a step */
  parse: (value: unknown) => Step;
  /** The text for each problem code. */
  faults: Readonly<Record<string, TextId>>;
};

/** Where the pages are, and whom they belong to. */
type Place = {
  /** The address of the first page; the other pages follow it. */
  base: string;
  /** The user or sign-in that a step belongs to. */
  owner: string;
  /** The parts of the name of the cookie that stores the step. */
  cookie: readonly [kind: string, id: string | null];
  /** The pages may be in a frame of another site. */
  framed?: boolean;
};

/** One person in one browser on the pages of a flow. */
export type BrowserVisit<Step> = {
  request: Request;
  reply: Reply;
  place: Place;
  voice: Voice;
  step: Step;
  /** Nobody is there: the page is a preview of itself. */
  preview?: Preview;
};

/** Stores the step between pages in an encrypted cookie and moves on by redirects. Needs no JavaScript. */
export function browserFlow<Step extends AnyStep>({ purpose, parse, faults }: Kind<Step>) {
  type Visit = BrowserVisit<Step>;

  function readStep(request: Request, place: Place): Step {
    const sealed = request.cookies[stepCookie(request, place)];
    if (sealed === undefined) return parse({});
    try {
      return parse(JSON.parse(request.server.system.keyring.open(sealed, purpose, place.owner)));
    } catch {
      // The step of another owner, or sealed with a retired key: the flow starts again.
      return parse({});
    }
  }

  /** Replaces the stored step. */
  function keepStep({ request, reply, place }: Visit, step: object): void {
    const name = stepCookie(request, place);
    const options = place.framed ? framedCookieOptions(request.address) : cookieOptions(request.address, 'lax');
    if (Object.keys(step).length === 0) {
      reply.clearCookie(name, options);
      return;
    }
    const prefix = stepCookie(request, { ...place, cookie: [place.cookie[0], ''] });
    for (const surplus of surplusCookies(request.headers.cookie, prefix, name)) reply.clearCookie(surplus, options);
    const sealed = request.server.system.keyring.seal(JSON.stringify(step), purpose, place.owner);
    reply.setCookie(name, sealed, { ...options, maxAge: STEP_SECONDS });
  }

  /** Redirects to another page with a GET, so that reloading repeats nothing (OA-6). */
  function goTo(visit: Visit, page: string, step: Step = visit.step): Reply {
    keepStep(visit, step);
    return visit.reply.redirect(visit.place.base + page, 303);
  }

  /** Redirects to a page that shows the fault. Rethrows unexpected errors and missing proofs. */
  function explain(visit: Visit, page: string, error: unknown): Reply {
    if (!(error instanceof Problem) || error.code === 'REAUTHENTICATION_REQUIRED') throw error;
    if (error.status >= 500 && error.code !== 'SERVICE_UNAVAILABLE') throw error;
    noteProblem(visit.request.trace, error);
    const retryAfter = error.extensions['retryAfter'];
    const minutes = typeof retryAfter === 'number' ? Math.max(1, Math.ceil(retryAfter / 60)) : undefined;
    const message = messageOfProject(error);
    const fault = { code: error.code, ...(minutes && { minutes }), ...(message !== undefined && { message }) };
    return goTo(visit, page, { ...visit.step, fault });
  }

  /** The fault of the submitted form; empty if there is none. */
  function faultOf({ step: { fault }, voice: { say, project } }: Visit): Markup | '' {
    if (!fault) return '';
    const text = fault.message ?? say(faults[fault.code] ?? 'fault.invalid', { project, minutes: fault.minutes ?? 1 });
    return html`<p class="fault" role="alert" id="fault">${text}</p>`;
  }

  /** Sends a page, with its fault or notice once. */
  function show(visit: Visit, page: Page): Reply {
    const { fault, notice, ...kept } = visit.step;
    const { request, reply, voice, preview } = visit;
    if ((fault || notice) && !preview) keepStep(visit, kept);
    const { document, headers } = preview
      ? renderPage(voice, { ...page, preview })
      : renderPage(plainIfAsked(request, reply, voice), page);
    return reply
      .code(fault && !preview ? 400 : 200)
      .headers(headers)
      .serializer(String)
      .send(document);
  }

  return { readStep, keepStep, goTo, explain, faultOf, show };
}

/** What an action of the project tells a person whom it refuses, if it tells anything. */
export function messageOfProject({ code, message }: Problem): string | undefined {
  return code === 'REFUSED_BY_ACTION' && message !== problems[code].detail ? message : undefined;
}

function stepCookie({ address, server: { host } }: Request, { cookie }: Place): string {
  return cookieName(address, host.environment, ...cookie);
}

/** A form that posts to a page of the visit. */
export function form({ place }: Pick<BrowserVisit<unknown>, 'place'>, page: string, content: Markup): Markup {
  return html`<form method="post" action="${place.base}${page}">${content}</form>`;
}
