import type { Static } from 'typebox';
import type { Brand } from '#branding';
import { projectOf } from '#environments';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { problem } from '#platform/problem.ts';
import type { Language } from '#settings';
import { ownText } from './messages.ts';
import { builtInTexts, faultsOf, type Rendered, render, sampleVariables, type Variables } from './render.ts';
import type { TemplateId, TemplateText } from './templates.ts';

export type TemplateRef = { template: TemplateId; locale: Language };
/** `variables`: the values to show instead of samples. */
type Previewed = TemplateRef & { variables?: Variables };

/** @throws Problem VALIDATION_FAILED for a text that can't be rendered */
export function checkText({ template, locale }: TemplateRef, text: Static<typeof TemplateText>): void {
  const faults = faultsOf(template, locale, text);
  if (faults.length === 0) return;
  const errors = faults.map((fault) => {
    const [field, ...message] = fault.split(': ');
    return { pointer: `/body/${field}`, message: message.join(': ') };
  });
  throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

/**
 * Renders a message, with sample values unless it is given others.
 * @param changes the unsaved parts of its text
 * @throws Problem VALIDATION_FAILED
 */
export async function previewMessage(
  ctx: Ctx | TxCtx,
  ref: Previewed,
  changes: Partial<Static<typeof TemplateText>>,
  brand: Brand,
): Promise<Rendered> {
  const inUse = (await ownText(ctx, ref.template, ref.locale)) ?? builtInTexts[ref.locale][ref.template];
  const text = { ...inUse, ...changes };
  checkText(ref, text);
  const { projectName } = await projectOf(ctx.system, ctx.scope);
  const look = { template: ref.template, language: ref.locale, brand };
  return render(look, text, {
    ...sampleVariables(ref.template),
    ...ref.variables,
    project: projectName,
  });
}
