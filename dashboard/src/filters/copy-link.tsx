import { useRouter } from '@tanstack/react-router';
import { useQuestion } from '../state/question.ts';
import { useAccess } from '../state/session.tsx';
import { toLasting } from '../state/shown-days.ts';
import { CopyButton } from '../ui/copy.tsx';

/** Copies a link to exactly this view, which shows the same days later too. */
export function CopyLink() {
  const router = useRouter();
  const { isNamed, project } = useAccess();
  const { search, days, granularity } = useQuestion();
  const lasting = { ...toLasting(search, days, granularity), ...(isNamed && { project: project.id }) };
  const { href } = router.buildLocation({ to: '.', search: lasting });
  return <CopyButton text={`${location.origin}${href}`} label="Copy link" />;
}
