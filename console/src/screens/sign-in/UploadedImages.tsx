import { Button, FileButton, Group, Input } from '@mantine/core';
import { useState } from 'react';
import type { Problem } from '#api/problem.ts';
import type { BrandingImages } from '#api/records.ts';
import { type Mutation, useAction } from '#ui/action.ts';
import { sizeOf } from '#ui/sizes.ts';

type Use = keyof BrandingImages;
type Place<Params> = { params: { path: Params & { use: Use } } };

type Props<Params> = {
  images: BrandingImages;
  canWrite: boolean;
  /** Whose images they are. */
  of: Params;
  put: Mutation<Place<Params> & { body: { content: string } }, BrandingImages>;
  remove: Mutation<Place<Params>, BrandingImages>;
};

/** Of a file; the server refuses a larger one, too. */
const MAX_BYTES = 262_144;

const USES: readonly { use: Use; label: string; about: string }[] = [
  { use: 'logo', label: 'Logo', about: 'Shown on pages and in mails.' },
  { use: 'darkLogo', label: 'Logo in the dark theme', about: 'Shown on pages in place of the logo.' },
  { use: 'favicon', label: 'Icon', about: 'Shown in the tabs of browsers.' },
];

/** The logo, the logo of the dark theme and the icon, each to upload, replace and remove. */
export function UploadedImages<Params extends object>(props: Props<Params>) {
  return USES.map((one) => <UploadedImage key={one.use} {...props} {...one} />);
}

function UploadedImage<Params extends object>({
  images,
  canWrite,
  of,
  put,
  remove,
  use,
  label,
  about,
}: Props<Params> & (typeof USES)[number]) {
  const [fault, setFault] = useState<string>();
  const upload = useAction(put);
  const removal = useAction(remove);
  const image = images[use];
  const params = { path: { ...of, use } };
  const showInField = ({ fields }: Problem) => {
    setFault(fields['content']);
    return fields['content'] !== undefined;
  };
  const choose = async (file: File | null) => {
    if (!file) return;
    setFault(file.size > MAX_BYTES ? 'An image has up to 256 KiB.' : undefined);
    if (file.size > MAX_BYTES) return;
    await upload.run(
      { params, body: { content: await base64Of(file) } },
      { done: `${label} uploaded`, onProblem: showInField },
    );
  };
  return (
    <Input.Wrapper
      label={label}
      description={image ? `${image.width} × ${image.height} pixels, ${sizeOf(image.bytes)}. ${about}` : about}
      error={fault}
    >
      <Group gap="xs" mt={6}>
        <FileButton
          accept="image/png,image/jpeg,image/webp,image/x-icon,.ico"
          inputProps={{ 'aria-label': `${label}: file` }}
          disabled={!canWrite}
          onChange={choose}
        >
          {(button) => (
            <Button
              {...button}
              variant="default"
              size="xs"
              aria-label={`${image ? 'Replace' : 'Upload'} ${label}`}
              loading={upload.busy}
              disabled={!canWrite}
            >
              {image ? 'Replace' : 'Upload'}
            </Button>
          )}
        </FileButton>
        {image && canWrite && (
          <Button
            variant="subtle"
            size="xs"
            aria-label={`Remove ${label}`}
            loading={removal.busy}
            onClick={() => removal.run({ params }, { done: `${label} removed` })}
          >
            Remove
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

async function base64Of(file: File): Promise<string> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(',') + 1);
}
