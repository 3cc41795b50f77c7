import type { Settings } from '#api/records.ts';
import { useScope } from '#api/scope.tsx';
import { PreviewCard } from './PreviewCard.tsx';
import { previewedLogo } from './previewed.ts';

type Preview = Pick<Settings, 'branding' | 'signInLayout' | 'defaultLanguage'>;

/** A preview of the sign-in page with unsaved changes, rendered by the server code of the real page. */
export function BrandingPreview({ branding, signInLayout, defaultLanguage: locale }: Preview) {
  const { workspaceId, projectId, environment } = useScope();
  const { logoUrl, accentColor, backgroundColor, radius, text } = branding;
  const scope = { workspaceId: workspaceId ?? '', projectId: projectId ?? '', environment: environment ?? '' };
  // An empty value clears the setting; an omitted one keeps the saved value.
  const look = {
    logoUrl: previewedLogo(logoUrl),
    accentColor: accentColor ?? '',
    backgroundColor: backgroundColor ?? '',
  };
  const query = new URLSearchParams({ ...scope, ...look, text: text ?? '', locale, signInLayout });
  if (radius !== null) query.set('radius', String(radius));
  return <PreviewCard of="the sign-in page" address={`/console/v1/branding/preview?${query}`} />;
}
