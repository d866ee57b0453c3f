import { Link } from '@tanstack/react-router';
import { PageHead } from './basics.tsx';

export const NotFound = () => (
  <PageHead
    title="There is no such page"
    about={
      <Link to="/" search={true} className="text-accent underline">
        Go to the overview
      </Link>
    }
  />
);
